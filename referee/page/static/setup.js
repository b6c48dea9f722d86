/* The host's set-up: each form and button is one write; the page is read anew when it was done. */

const told = document.getElementById("told");

async function write(path, body) {
  told.textContent = "…";
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const said = await answer.json();
    if (answer.ok) location.reload();
    else told.textContent = said.error;
  } catch (error) {
    told.textContent = String(error);
  }
  told.scrollIntoView({ block: "center" });
}

function value(kind, text) {
  if (kind !== "json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

for (const form of document.querySelectorAll("form[data-setting]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { setting, kind } = form.dataset;
    write("/api/set", { setting, value: value(kind, form.elements.value.value.trim()) });
  });
}

for (const form of document.querySelectorAll("form[data-pairing]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const seats = [Number(form.elements.one.value), Number(form.elements.other.value)];
    write("/api/team", { seats, together: true });
  });
}

for (const button of document.querySelectorAll("button[data-team]")) {
  button.addEventListener("click", () => {
    write("/api/team", { seats: button.dataset.team.split(",").map(Number), together: false });
  });
}

for (const form of document.querySelectorAll("form[data-act]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    write("/api/house", { act: form.dataset.act, name: form.elements.name.value });
  });
}

for (const button of document.querySelectorAll("button[data-act]")) {
  button.addEventListener("click", () => write("/api/house", { act: button.dataset.act, name: button.dataset.name }));
}
