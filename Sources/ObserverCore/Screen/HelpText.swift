/// What the keys do, for the screen.
enum HelpText {
    static let lines = [
        "↑ ↓ PgUp PgDn Home End  move",
        "/      filter by name or id; enter keeps it, esc drops it",
        "s      sort by slot, name, state, presence, change, version",
        "space  pause, go on",
        "f      faults only: what is not online",
        "?      hide the keys",
        "q      quit",
    ]
}
