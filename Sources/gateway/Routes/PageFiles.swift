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
        router.get("page/:folder/:file") { request, context in
            let path = ["folder", "file"].compactMap { context.parameters.get($0) }
            return answer(path.joined(separator: "/"), request)
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

    /// Each file of the folder `Page` by its path in it, and its type.
    static let embedded: [String: (bytes: [UInt8], type: String)] = [
        "app/connection.js": (PackageResources.connection_js, script),
        "app/desk.js": (PackageResources.desk_js, script),
        "app/deskeffects.js": (PackageResources.deskeffects_js, script),
        "app/fleeteffects.js": (PackageResources.fleeteffects_js, script),
        "app/gateway.js": (PackageResources.gateway_js, script),
        "app/model.js": (PackageResources.model_js, script),
        "app/notices.js": (PackageResources.notices_js, script),
        "app/noticesview.js": (PackageResources.noticesview_js, script),
        "app/popup.js": (PackageResources.popup_js, script),
        "app/rehearsal.js": (PackageResources.rehearsal_js, script),
        "app/requestid.js": (PackageResources.requestid_js, script),
        "app/route.js": (PackageResources.route_js, script),
        "app/screens.js": (PackageResources.screens_js, script),
        "app/status.js": (PackageResources.status_js, script),
        "app/store.js": (PackageResources.store_js, script),
        "app/stream.js": (PackageResources.stream_js, script),
        "app/streaming.js": (PackageResources.streaming_js, script),
        "app/viewmodel.js": (PackageResources.viewmodel_js, script),
        "app/wire.js": (PackageResources.wire_js, script),
        "boot.js": (PackageResources.boot_js, script),
        "common/dom.js": (PackageResources.dom_js, script),
        "common/plaintext.js": (PackageResources.plaintext_js, script),
        "common/times.js": (PackageResources.times_js, script),
        "common/words.js": (PackageResources.words_js, script),
        "device/chart.js": (PackageResources.chart_js, script),
        "device/devicescreen.js": (PackageResources.devicescreen_js, script),
        "device/past.js": (PackageResources.past_js, script),
        "device/plot.js": (PackageResources.plot_js, script),
        "duty/duty.js": (PackageResources.duty_js, script),
        "duty/roster.js": (PackageResources.roster_js, script),
        "duty/rosterscreen.js": (PackageResources.rosterscreen_js, script),
        "duty/rosterview.js": (PackageResources.rosterview_js, script),
        "duty/rosterwire.js": (PackageResources.rosterwire_js, script),
        "duty/shifts.js": (PackageResources.shifts_js, script),
        "icon.svg": (PackageResources.icon_svg, "image/svg+xml"),
        "index.html": (PackageResources.index_html, "text/html; charset=utf-8"),
        "list/bulletin.js": (PackageResources.bulletin_js, script),
        "list/commands.js": (PackageResources.commands_js, script),
        "list/fleet.js": (PackageResources.fleet_js, script),
        "list/listing.js": (PackageResources.listing_js, script),
        "list/listscreen.js": (PackageResources.listscreen_js, script),
        "list/power.js": (PackageResources.power_js, script),
        "list/pull.js": (PackageResources.pull_js, script),
        "list/replies.js": (PackageResources.replies_js, script),
        "list/rows.js": (PackageResources.rows_js, script),
        "list/table.js": (PackageResources.table_js, script),
        "logbook/drafts.js": (PackageResources.drafts_js, script),
        "logbook/logbook.js": (PackageResources.logbook_js, script),
        "logbook/logbookscreen.js": (PackageResources.logbookscreen_js, script),
        "logbook/logbookview.js": (PackageResources.logbookview_js, script),
        "logbook/postscreen.js": (PackageResources.postscreen_js, script),
        "logbook/writing.js": (PackageResources.writing_js, script),
        "login/wayin.js": (PackageResources.wayin_js, script),
        "login/wayinscreen.js": (PackageResources.wayinscreen_js, script),
        "main.js": (PackageResources.main_js, script),
        "manifest.json": (PackageResources.manifest_json, "application/manifest+json"),
        "offline.js": (PackageResources.offline_js, script),
        "queue/sequencecard.js": (PackageResources.sequencecard_js, script),
        "queue/sequences.js": (PackageResources.sequences_js, script),
        "queue/sequencesview.js": (PackageResources.sequencesview_js, script),
        "queue/sequencewire.js": (PackageResources.sequencewire_js, script),
        "site/allowed.js": (PackageResources.allowed_js, script),
        "site/cleanhtml.js": (PackageResources.cleanhtml_js, script),
        "site/coasts.js": (PackageResources.coasts_js, script),
        "site/geography.js": (PackageResources.geography_js, script),
        "site/places.js": (PackageResources.places_js, script),
        "site/sites.js": (PackageResources.sites_js, script),
        "site/sitescreen.js": (PackageResources.sitescreen_js, script),
        "site/sitesscreen.js": (PackageResources.sitesscreen_js, script),
        "site/sitesview.js": (PackageResources.sitesview_js, script),
        "site/sitewire.js": (PackageResources.sitewire_js, script),
        "site/worldmap.js": (PackageResources.worldmap_js, script),
        "style.css": (PackageResources.style_css, "text/css; charset=utf-8"),
        "worker.js": (PackageResources.worker_js, script),
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
