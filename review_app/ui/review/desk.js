// Watches the editor's text area and hands over what is typed after a pause, so that a draft is kept
// even if the page is closed without pressing a button. The area itself stays Streamlit's own.
// Also keeps the segment in the URL: through Python that would redraw the whole page.
const PAUSE_MS = 900;

export default function ({ data, setTriggerValue }) {
  const url = new URL(window.location.href);
  if (url.searchParams.get("segment") !== data.segment) {
    url.searchParams.set("segment", data.segment);
    window.history.replaceState(window.history.state, "", url);
  }

  const area = () => document.querySelector(`.st-key-${data.key} textarea`);
  let timer = null;
  let sent = null;

  const send = () => {
    const box = area();
    if (!box || box.value === sent) return;
    sent = box.value;
    setTriggerValue("typed", { text: sent, segment: data.segment, version: data.version });
  };
  const typed = (event) => {
    if (event.target !== area()) return;
    clearTimeout(timer);
    timer = setTimeout(send, PAUSE_MS);
  };
  const leaving = () => {
    if (timer !== null) send();
  };

  document.addEventListener("input", typed);
  window.addEventListener("pagehide", leaving);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("input", typed);
    window.removeEventListener("pagehide", leaving);
  };
}
