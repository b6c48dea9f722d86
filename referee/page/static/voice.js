// Says the table's words where the browser has a voice for them.
const speech = window.speechSynthesis;
let waiting = [];
let timer = 0;

// cue: {words, language, follows}; afterMs: motifs sound until then.
export function speak(cue, afterMs) {
  if (!speech) return;
  if (!cue.follows) hush();
  if (!cue.words) return;
  waiting.push(cue);
  clearTimeout(timer);
  timer = setTimeout(() => waiting.splice(0).forEach(utter), afterMs);
}

function utter(cue) {
  const said = new SpeechSynthesisUtterance(cue.words);
  said.lang = cue.language;
  speech.speak(said);
}

export function hush() {
  clearTimeout(timer);
  waiting = [];
  speech?.cancel();
}

// Motifs that words replace are left out only where there is a voice; most browsers load theirs late.
export const hasVoice = () => Boolean(speech?.getVoices().length);
