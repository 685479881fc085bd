#include "reports/html/html_page.h"

namespace envdoctor::html {

// No selector with an angle bracket: it would be quoted.
const char* const style = R"(
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d1d9e0;--soft:#f6f8fa;--good:#1a7f37;--bad:#cf222e;--warn:#9a6700;--info:#0969da}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#3d444d;--soft:#161b22;--good:#3fb950;--bad:#ff7b72;--warn:#d29922;--info:#58a6ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.25rem;font-weight:600}h2{font-size:1.05rem;margin:1.6rem 0 .5rem}h3{font-size:.95rem;margin:.8rem 0 .2rem}
.badge{display:inline-block;padding:.1rem .6rem;border-radius:.4rem;color:var(--bg);background:var(--dim);text-transform:uppercase}
.badge.pass{background:var(--good)}.badge.fail{background:var(--bad)}.badge.warn,.badge.incomplete{background:var(--warn)}
pre,.code{font:13px/1.45 ui-monospace,monospace}pre{white-space:pre-wrap;background:var(--soft);border:1px solid var(--line);border-radius:.4rem;padding:.5rem .7rem;margin:.4rem 0}
details{border:1px solid var(--line);border-radius:.4rem;margin:.4rem 0;padding:0 .8rem}details[open]{padding-bottom:.6rem}
summary{cursor:pointer;padding:.45rem 0;font-weight:600}summary:focus-visible{outline:2px solid var(--info);outline-offset:2px}
.error{border-left:4px solid var(--bad)}.warning{border-left:4px solid var(--warn)}.info,.waived{border-left:4px solid var(--line)}
.dim{color:var(--dim);font-weight:400}
table{border-collapse:collapse;width:100%}section{overflow-x:auto}td{min-width:4.6rem}td:first-child{min-width:7rem}td,th{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;border-bottom:1px solid var(--line)}
.drawing{overflow-x:auto}svg{max-width:100%;height:auto;min-width:46rem}svg.small{min-width:7rem}svg.bars{min-width:0}.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:0 1.5rem}.kernels td{width:40%}.kernels td:last-child{width:11rem}.wrong{color:var(--bad)}svg.natural{max-width:none;min-width:0}
svg text{fill:var(--fg);font:11px system-ui,sans-serif}svg .mid{text-anchor:middle}svg .end{text-anchor:end}svg .dim{fill:var(--dim)}svg .mark{text-anchor:middle;font-weight:700;fill:var(--bg)}
svg .name{font-weight:600}
.rail{stroke:var(--good);stroke-width:3}.rail.off{stroke:var(--line);stroke-dasharray:4 4}
.ok{fill:var(--good)}.broken{fill:var(--bad)}.unknown{fill:var(--warn)}.not-applicable{fill:var(--dim)}
.box{fill:var(--soft);stroke:var(--line)}.gpu{fill:var(--soft);stroke:var(--info)}.wire{stroke:var(--dim)}.wire.slow{stroke:var(--bad);stroke-width:2}
.bar{fill:var(--info)}.bar.cpu{fill:var(--dim)}.bar.off{fill:var(--bad)}.peak{fill:none;stroke:var(--dim)}
footer{color:var(--dim);margin-top:2rem;font-size:.85rem}
@media (max-width:36rem){.kernels td{font-size:13px;min-width:0}}
@media print{body{max-width:none;font-size:11px}details{break-inside:avoid}details::details-content{content-visibility:visible;display:block}summary{list-style:none}.badge,pre{print-color-adjust:exact}h2,h3{break-after:avoid}tr,svg,.grid div{break-inside:avoid}}
)";

}  // namespace envdoctor::html
