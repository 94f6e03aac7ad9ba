// Keeps a choice in the URL without a redraw: set through Python it would draw the whole page anew.
export default function ({ data }) {
  const url = new URL(window.location.href);
  if (url.searchParams.get(data.name) !== data.value) {
    url.searchParams.set(data.name, data.value);
    window.history.replaceState(window.history.state, "", url);
  }
}
