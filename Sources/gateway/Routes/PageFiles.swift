import HTTPTypes
import Hummingbird
import NIOCore
import UserText

/// The page's files, which are embedded in the executable.
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
        let shell = PageShell(of: Self.embedded)
        files = Dictionary(
            uniqueKeysWithValues: Self.embedded.map { name, bytes in
                (name, File(name == PageShell.worker ? shell.worker(bytes) : bytes, Self.type(of: name)))
            })
        self.shell = shell
    }

    func add(to router: Router<GatewayContext>) {
        router.get("/") { request, _ in answer("index.html", request) }
        router.get("page/:file") { request, context in
            answer(context.parameters.get("file") ?? "", request)
        }
        // Both routes name the first part alike, because the router distinguishes siblings by their names.
        router.get("page/:file/:nested") { request, context in
            let path = ["file", "nested"].compactMap { context.parameters.get($0) }
            return answer(path.joined(separator: "/"), request)
        }
    }

    private func answer(_ name: String, _ request: Request) -> Response {
        guard let file = files[name] else {
            return WebResponse.page("This page doesn’t exist.", status: .notFound)
        }
        // Browsers cache the file, and revalidate it.
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
    /// Returns the media type of a file, by its extension.
    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/manifest+json"
        default: preconditionFailure("\(name): unknown file type")
        }
    }

    /// The files of the folder `Page` by their paths in it.
    static let embedded: [String: [UInt8]] = [
        "app/connection.js": PackageResources.connection_js,
        "app/fleeteffects.js": PackageResources.fleeteffects_js,
        "app/gateway.js": PackageResources.gateway_js, "app/linkscreen.js": PackageResources.linkscreen_js,
        "app/model.js": PackageResources.model_js, "app/notices.js": PackageResources.notices_js,
        "app/noticesview.js": PackageResources.noticesview_js, "app/popup.js": PackageResources.popup_js,
        "app/rehearsal.js": PackageResources.rehearsal_js, "app/requestid.js": PackageResources.requestid_js,
        "app/route.js": PackageResources.route_js, "app/screenbar.js": PackageResources.screenbar_js,
        "app/screens.js": PackageResources.screens_js,
        "app/serviceeffects.js": PackageResources.serviceeffects_js,
        "app/services.js": PackageResources.services_js, "app/status.js": PackageResources.status_js,
        "app/store.js": PackageResources.store_js, "app/stream.js": PackageResources.stream_js,
        "app/streaming.js": PackageResources.streaming_js, "app/viewmodel.js": PackageResources.viewmodel_js,
        "app/wire.js": PackageResources.wire_js, "boot.js": PackageResources.boot_js,
        "common/dom.js": PackageResources.dom_js, "common/plaintext.js": PackageResources.plaintext_js,
        "common/texts.js": PackageResources.texts_js, "common/times.js": PackageResources.times_js,
        "device/chart.js": PackageResources.chart_js,
        "device/devicescreen.js": PackageResources.devicescreen_js,
        "device/past.js": PackageResources.past_js, "device/plot.js": PackageResources.plot_js,
        "duty/duty.js": PackageResources.duty_js, "duty/roster.js": PackageResources.roster_js,
        "duty/rosterscreen.js": PackageResources.rosterscreen_js,
        "duty/rosterview.js": PackageResources.rosterview_js,
        "duty/rosterwire.js": PackageResources.rosterwire_js, "duty/shifts.js": PackageResources.shifts_js,
        "icon.svg": PackageResources.icon_svg, "index.html": PackageResources.index_html,
        "list/bulletin.js": PackageResources.bulletin_js, "list/commands.js": PackageResources.commands_js,
        "list/condition.js": PackageResources.condition_js,
        "list/fleet.js": PackageResources.fleet_js, "list/listing.js": PackageResources.listing_js,
        "list/listscreen.js": PackageResources.listscreen_js, "list/power.js": PackageResources.power_js,
        "list/pull.js": PackageResources.pull_js, "list/replies.js": PackageResources.replies_js,
        "list/rows.js": PackageResources.rows_js, "list/selector.js": PackageResources.selector_js,
        "list/table.js": PackageResources.table_js,
        "logbook/drafts.js": PackageResources.drafts_js, "logbook/logbook.js": PackageResources.logbook_js,
        "logbook/logbookscreen.js": PackageResources.logbookscreen_js,
        "logbook/logbookview.js": PackageResources.logbookview_js,
        "logbook/postscreen.js": PackageResources.postscreen_js,
        "logbook/writing.js": PackageResources.writing_js,
        "login/loginforms.js": PackageResources.loginforms_js,
        "login/loginscreen.js": PackageResources.loginscreen_js, "main.js": PackageResources.main_js,
        "manifest.json": PackageResources.manifest_json, "offline.js": PackageResources.offline_js,
        "queue/queuecard.js": PackageResources.queuecard_js,
        "queue/queues.js": PackageResources.queues_js,
        "queue/queuesview.js": PackageResources.queuesview_js,
        "queue/queuewire.js": PackageResources.queuewire_js,
        "site/allowed.js": PackageResources.allowed_js, "site/cleanhtml.js": PackageResources.cleanhtml_js,
        "site/coasts.js": PackageResources.coasts_js, "site/geography.js": PackageResources.geography_js,
        "site/places.js": PackageResources.places_js, "site/sites.js": PackageResources.sites_js,
        "site/sitescreen.js": PackageResources.sitescreen_js,
        "site/sitesscreen.js": PackageResources.sitesscreen_js,
        "site/sitesview.js": PackageResources.sitesview_js, "site/sitewire.js": PackageResources.sitewire_js,
        "site/worldmap.js": PackageResources.worldmap_js, "style.css": PackageResources.style_css,
        "worker.js": PackageResources.worker_js,
    ]
}

/// The files that browsers store so that the page starts without a connection.
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
        release = Fingerprint.of(stored.flatMap { Array("\($0.key) \(Fingerprint.of($0.value))\n".utf8) })
        paths = stored.map(\.key).filter { $0 != Self.worker }
            .map { $0 == "index.html" ? "/" : "/page/\($0)" }
    }

    /// The service worker of this release: a line with the release and its files, then the worker's text.
    ///
    /// A new release changes this text, so browsers detect the release when they compare the text.
    func worker(_ text: [UInt8]) -> [UInt8] {
        let shell: JSONValue = ["release": .string(release), "files": .array(paths.map { .string($0) })]
        return Array("const SHELL = \(shell.line);\n".utf8) + text
    }
}
