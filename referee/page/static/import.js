/* The host's import: each file that was chosen is one write; what became of it stands in the list. */

const list = document.getElementById("imported");
const files = document.getElementById("import-files");

function tell(name, text, match) {
  const row = document.createElement("li");
  const file = document.createElement("b");
  file.textContent = name;
  const said = document.createElement(match ? "a" : "span");
  said.textContent = text;
  if (match) said.href = `/history/${match}`;
  row.append(file, ": ", said);
  list.append(row);
}

async function keep(file) {
  try {
    const answer = await fetch("/api/import", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: file,
    });
    const said = await answer.json();
    tell(file.name, answer.ok ? said.told : said.error, said.match);
  } catch (error) {
    tell(file.name, String(error));
  }
}

// The evenings above as they are now, without losing what is said of each file.
async function renew() {
  try {
    const answer = await fetch(location.pathname);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.getElementById("past").replaceWith(page.getElementById("past"));
  } catch {
    // what was there stays; the next visit has it all
  }
}

document.getElementById("import").addEventListener("submit", async (event) => {
  event.preventDefault();
  list.replaceChildren();
  for (const file of [...files.files]) await keep(file); // one after the other: writes are counted
  await renew();
});
