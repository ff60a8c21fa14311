import HTTPTypes
import Hummingbird
import NIOCore
import UserText

/// The page's files, which are part of the executable.
struct PageFiles: Sendable {
    private struct File: Sendable {
        let bytes: ByteBuffer
        let type: String
        let tag: String

        init(_ bytes: [UInt8], _ type: String) {
            self.bytes = ByteBuffer(bytes: bytes)
            self.type = type
            tag = "\"\(Fingerprint.of(bytes))\""
        }
    }

    private let files: [String: File]
    private let shell: PageShell

    init() {
        let shell = PageShell(of: Self.embedded.mapValues { $0.bytes })
        files = Dictionary(
            uniqueKeysWithValues: Self.embedded.map { name, file in
                (name, File(name == PageShell.worker ? shell.worker(file.bytes) : file.bytes, file.type))
            })
        self.shell = shell
    }

    func add(to router: Router<GatewayContext>) {
        router.get("/") { request, _ in answer("index.html", request) }
        router.get("page/:file") { request, context in
            answer(context.parameters.get("file") ?? "", request)
        }
    }

    private func answer(_ name: String, _ request: Request) -> Response {
        guard let file = files[name] else { return Answer.page("There is no such page.", status: .notFound) }
        // Browsers keep it, and ask whether it is still so.
        var headers: HTTPFields = [
            .contentType: file.type, .eTag: file.tag, .cacheControl: "no-cache",
            .sensibusRelease: shell.release,
        ]
        // The worker's path is below `/page/`, but its scope must include `/`, the page itself.
        if name == PageShell.worker { headers[.serviceWorkerAllowed] = "/" }
        if request.headers[.ifNoneMatch] == file.tag {
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.bytes))
    }
}

extension PageFiles {
    private static let script = "text/javascript; charset=utf-8"

    /// Each file of the folder `Page`, and what it is.
    static let embedded: [String: (bytes: [UInt8], type: String)] = [
        "allowed.js": (PackageResources.allowed_js, script),
        "boot.js": (PackageResources.boot_js, script),
        "bulletin.js": (PackageResources.bulletin_js, script),
        "chart.js": (PackageResources.chart_js, script),
        "cleanhtml.js": (PackageResources.cleanhtml_js, script),
        "coasts.js": (PackageResources.coasts_js, script),
        "commands.js": (PackageResources.commands_js, script),
        "connection.js": (PackageResources.connection_js, script),
        "desk.js": (PackageResources.desk_js, script),
        "deskeffects.js": (PackageResources.deskeffects_js, script),
        "devicescreen.js": (PackageResources.devicescreen_js, script),
        "dom.js": (PackageResources.dom_js, script),
        "drafts.js": (PackageResources.drafts_js, script),
        "duty.js": (PackageResources.duty_js, script),
        "fleet.js": (PackageResources.fleet_js, script),
        "fleeteffects.js": (PackageResources.fleeteffects_js, script),
        "gateway.js": (PackageResources.gateway_js, script),
        "geography.js": (PackageResources.geography_js, script),
        "icon.svg": (PackageResources.icon_svg, "image/svg+xml"),
        "index.html": (PackageResources.index_html, "text/html; charset=utf-8"),
        "listing.js": (PackageResources.listing_js, script),
        "listscreen.js": (PackageResources.listscreen_js, script),
        "logbook.js": (PackageResources.logbook_js, script),
        "logbookscreen.js": (PackageResources.logbookscreen_js, script),
        "logbookview.js": (PackageResources.logbookview_js, script),
        "main.js": (PackageResources.main_js, script),
        "manifest.json": (PackageResources.manifest_json, "application/manifest+json"),
        "model.js": (PackageResources.model_js, script),
        "notices.js": (PackageResources.notices_js, script),
        "noticesview.js": (PackageResources.noticesview_js, script),
        "offline.js": (PackageResources.offline_js, script),
        "past.js": (PackageResources.past_js, script),
        "places.js": (PackageResources.places_js, script),
        "plaintext.js": (PackageResources.plaintext_js, script),
        "plot.js": (PackageResources.plot_js, script),
        "popup.js": (PackageResources.popup_js, script),
        "postscreen.js": (PackageResources.postscreen_js, script),
        "power.js": (PackageResources.power_js, script),
        "pull.js": (PackageResources.pull_js, script),
        "rehearsal.js": (PackageResources.rehearsal_js, script),
        "replies.js": (PackageResources.replies_js, script),
        "requestid.js": (PackageResources.requestid_js, script),
        "roster.js": (PackageResources.roster_js, script),
        "rosterscreen.js": (PackageResources.rosterscreen_js, script),
        "rosterview.js": (PackageResources.rosterview_js, script),
        "rosterwire.js": (PackageResources.rosterwire_js, script),
        "route.js": (PackageResources.route_js, script),
        "rows.js": (PackageResources.rows_js, script),
        "screens.js": (PackageResources.screens_js, script),
        "sequencecard.js": (PackageResources.sequencecard_js, script),
        "sequences.js": (PackageResources.sequences_js, script),
        "sequencesview.js": (PackageResources.sequencesview_js, script),
        "sequencewire.js": (PackageResources.sequencewire_js, script),
        "shifts.js": (PackageResources.shifts_js, script),
        "sites.js": (PackageResources.sites_js, script),
        "sitescreen.js": (PackageResources.sitescreen_js, script),
        "sitesscreen.js": (PackageResources.sitesscreen_js, script),
        "sitesview.js": (PackageResources.sitesview_js, script),
        "sitewire.js": (PackageResources.sitewire_js, script),
        "status.js": (PackageResources.status_js, script),
        "store.js": (PackageResources.store_js, script),
        "stream.js": (PackageResources.stream_js, script),
        "streaming.js": (PackageResources.streaming_js, script),
        "style.css": (PackageResources.style_css, "text/css; charset=utf-8"),
        "table.js": (PackageResources.table_js, script),
        "times.js": (PackageResources.times_js, script),
        "viewmodel.js": (PackageResources.viewmodel_js, script),
        "wayin.js": (PackageResources.wayin_js, script),
        "wayinscreen.js": (PackageResources.wayinscreen_js, script),
        "wire.js": (PackageResources.wire_js, script),
        "words.js": (PackageResources.words_js, script),
        "worker.js": (PackageResources.worker_js, script),
        "worldmap.js": (PackageResources.worldmap_js, script),
        "writing.js": (PackageResources.writing_js, script),
    ]
}

/// What browsers store of the page, so that it starts without a connection.
struct PageShell: Sendable {
    /// The name of the service worker's file.
    static let worker = "worker.js"

    /// A fingerprint of all files, sixteen digits.
    let release: String
    /// The paths of the files in order, without the worker's.
    let paths: [String]

    /// Describes files by their names.
    ///
    /// Their paths begin with `/page/`; the path of `index.html` is `/`.
    init(of files: [String: [UInt8]]) {
        let stored = files.sorted { $0.key < $1.key }
        release = Fingerprint.of(
            stored.flatMap { Array("\($0.key) \(Fingerprint.of($0.value))\n".utf8) })
        paths = stored.map(\.key).filter { $0 != Self.worker }
            .map { $0 == "index.html" ? "/" : "/page/\($0)" }
    }

    /// The service worker of this release: a line with the release and its files, then the worker's text.
    ///
    /// A new release changes this text, so browsers detect the release when they compare the text.
    func worker(_ text: [UInt8]) -> [UInt8] {
        let shell: JSONValue = [
            "release": .string(release), "files": .array(paths.map { .string($0) }),
        ]
        return Array("const SHELL = \(shell.line);\n".utf8) + text
    }
}
