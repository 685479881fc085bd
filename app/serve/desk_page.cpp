// The page and its script. Content from the server or the user is inserted as text, or into a frame that may
// run no script.
#include "app/serve/desk.h"

namespace envdoctor {

const char* const desk_page = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>envdoctor: why is the GPU not used?</title>
<style>
:root { color-scheme: light dark; --line: #8886; }
body { font: 16px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
textarea { box-sizing: border-box; width: 100%; height: 14rem; font: 13px/1.4 ui-monospace, monospace; }
#drop { border: 2px dashed var(--line); border-radius: 6px; padding: .75rem; margin: .75rem 0; }
#drop.over { border-color: currentColor; }
button { font: inherit; padding: .3rem 1.2rem; }
#status { min-height: 1.5em; white-space: pre-wrap; }
iframe { width: 100%; height: 75vh; border: 1px solid var(--line); border-radius: 6px; }
[hidden] { display: none; }
</style>
</head>
<body>
<h1>Why is the GPU not used?</h1>
<p>Paste the log of the program that failed, or what <code>nvidia-smi</code> and other tools print. Nothing is stored,
and nothing that you paste is run.</p>
<label for="text">Log</label>
<textarea id="text" spellcheck="false" autocomplete="off"></textarea>
<div id="drop"><label for="file">Or drop a log, a snapshot or a JSON report here:</label>
<input type="file" id="file"></div>
<button id="ask" type="button">Diagnose</button>
<p id="status" role="status"></p>
<iframe id="report" title="Report" sandbox="" hidden></iframe>
<noscript><p>Without JavaScript: <code>curl --data-binary @train.log http://HOST:PORT/diagnose</code></p></noscript>
<script src="desk.js"></script>
</body>
</html>
)";

const char* const desk_script = R"('use strict';
const part = id => document.getElementById(id);
const most = 16 * 1024 * 1024;
let asked = 0;

async function diagnose(body) {
  const mine = ++asked;
  const show = text => { if (mine === asked) part('status').textContent = text; };
  part('report').hidden = true;
  if (body.size > most) return show('The file is larger than 16 MiB.');
  show('Reading …');
  try {
    const headers = {Accept: 'text/html', 'Content-Type': 'application/octet-stream'};
    const answer = await fetch('diagnose', {method: 'POST', headers, body});
    const text = await answer.text();
    if (mine !== asked) return;
    if (!answer.ok) {
      let why = text;
      try { why = JSON.parse(text).error; } catch { }
      return show('Could not be diagnosed: ' + why);
    }
    part('report').srcdoc = text;
    part('report').hidden = false;
    part('report').scrollIntoView();
    show('');
  } catch (error) {
    show('The server gave no answer: ' + error.message);
  }
}

part('ask').addEventListener('click', () => {
  const file = part('file').files[0], text = part('text').value;
  diagnose(text.trim() || !file ? new Blob([text]) : file);
});
part('file').addEventListener('change', () => { if (part('file').files[0]) diagnose(part('file').files[0]); });
for (const kind of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(kind, event => {
    event.preventDefault();
    part('drop').classList.toggle('over', kind === 'dragover');
    if (kind === 'drop' && event.dataTransfer.files[0]) diagnose(event.dataTransfer.files[0]);
  });
}
)";

}  // namespace envdoctor
