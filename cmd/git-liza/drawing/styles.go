package drawing

// Styles are the styles of all drawings, for light and dark screens. States differ in
// colour, but are named in words too.
const Styles = `.drawing { font: 12px system-ui, sans-serif; }
.drawing .paper { fill: #ffffff; }
.drawing text { fill: #1a1a1a; }
.drawing .quiet, .drawing .state { fill: #4d4d4d; }
.drawing .state { font-size: 10px; }
.drawing .id { font-weight: bold; }
.drawing .end { text-anchor: end; }
.drawing .middle { text-anchor: middle; }
.drawing a:hover .box, .drawing a:focus .box { stroke-width: 3; }
.drawing .box { fill: #ffffff; stroke: #767676; rx: 6px; }
.drawing .critical .box { stroke: #1a1a1a; stroke-width: 4; }
.drawing .edge { fill: none; stroke: #767676; }
.drawing .edge.met { stroke-dasharray: 3; }
.drawing .edge.again { stroke-dasharray: 8 3; }
.drawing .arrow { fill: #767676; }
.drawing .axis { stroke: #b0b0b0; }
.drawing .line { fill: none; stroke: #1a1a1a; stroke-width: 2; }
.drawing .plan, .drawing .planned { fill: none; stroke: #767676; }
.drawing .plan { stroke-dasharray: 6 4; }
.drawing .wait { stroke: #767676; stroke-dasharray: 2 3; }
.drawing .bar, .drawing .area { stroke: #767676; fill: #ffffff; }
.drawing .draft { fill: #f2f2f2; }
.drawing .claimed, .drawing .claim { fill: #dbeafe; }
.drawing .ready-for-review, .drawing .review { fill: #ede9fe; }
.drawing .rejected { fill: #ffe4d6; }
.drawing .approved { fill: #d9f2e3; }
.drawing .blocked, .drawing .integration-failed { fill: #fde2e2; }
.drawing .merged { fill: #cfe8d5; }
.drawing .superseded, .drawing .abandoned { fill: #e6e6e6; }
.drawing .session { fill: #93c5fd; }
.drawing .gate { fill: #c4b5fd; }
@media (prefers-color-scheme: dark) {
.drawing .paper { fill: #161616; }
.drawing text { fill: #f0f0f0; }
.drawing .quiet, .drawing .state { fill: #c8c8c8; }
.drawing .box, .drawing .bar, .drawing .area { fill: #1e1e1e; stroke: #9a9a9a; }
.drawing .critical .box { stroke: #f0f0f0; }
.drawing .edge, .drawing .plan, .drawing .planned, .drawing .wait { stroke: #9a9a9a; }
.drawing .arrow { fill: #9a9a9a; }
.drawing .axis { stroke: #5a5a5a; }
.drawing .line { stroke: #f0f0f0; }
.drawing .draft { fill: #2b2b2b; }
.drawing .claimed, .drawing .claim { fill: #1e3a5f; }
.drawing .ready-for-review, .drawing .review { fill: #3b2a66; }
.drawing .rejected { fill: #5a2e14; }
.drawing .approved { fill: #14472b; }
.drawing .blocked, .drawing .integration-failed { fill: #6b1d1d; }
.drawing .merged { fill: #1f3d26; }
.drawing .superseded, .drawing .abandoned { fill: #333333; }
.drawing .session { fill: #1d4e89; }
.drawing .gate { fill: #4c3a8a; }
}
`
