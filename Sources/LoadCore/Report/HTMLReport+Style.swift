extension HTMLReport {
    /// How the page looks, light or dark as its reader likes.
    static let style = """
        :root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #667; --rule: #dde; --good: #17803d;
          --bad: #c0262d; --s0: #1f6feb; --s1: #d9730d; --s2: #9333ca; --s3: #667; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e6e9ee; --paper: #14171c; --soft: #99a; --rule: #2d333b; --good: #4ac26b; --bad: #ff7b72;
            --s0: #6cb6ff; --s1: #f0a35e; --s2: #c297ff; --s3: #99a; }
        }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
          max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
        h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
        table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
        th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; }
        th:first-child, td.words { text-align: left; } th { font-weight: 600; }
        thead th { color: var(--soft); } tbody th { font-weight: 400; }
        figure { margin: 1rem 0; overflow-x: auto; } figcaption { color: var(--soft); }
        svg { width: 100%; min-width: 30rem; height: auto; }
        svg line { stroke: var(--rule); } svg text { fill: var(--soft); font-size: 11px; }
        polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
        polyline.s0 { stroke: var(--s0); } polyline.s1 { stroke: var(--s1); } polyline.s2 { stroke: var(--s2); }
        polyline.s3 { stroke: var(--s3); stroke-dasharray: 5 4; }
        circle.s0 { fill: var(--s0); } circle.s1 { fill: var(--s1); } circle.s2 { fill: var(--s2); }
        circle.s3 { fill: var(--s3); }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 1.2rem; padding: 0; margin: 0; }
        .legend li::before { content: "━ "; } .legend .s0::before { color: var(--s0); }
        .legend .s1::before { color: var(--s1); } .legend .s2::before { color: var(--s2); }
        .legend .s3::before { color: var(--s3); }
        .met { color: var(--good); } .missed, .warning { color: var(--bad); }
        """
}
