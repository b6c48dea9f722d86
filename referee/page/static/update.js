/* Sends an update from the host's phone, and shows the device's answer below the form. */

const form = document.getElementById("update");
const said = document.getElementById("update-said");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  said.textContent = "…";
  try {
    const answer = await fetch("/api/update", {
      method: "POST",
      headers: { "Content-Type": "application/x-tar" },
      body: document.getElementById("update-file").files[0],
    });
    const told = await answer.json();
    said.textContent = answer.ok ? told.told : told.error;
  } catch (error) {
    said.textContent = String(error);
  }
  button.disabled = false;
});
