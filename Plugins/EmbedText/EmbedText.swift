import Foundation
import PackagePlugin

/// Embeds the text files of a target, of any folder of it, in the target's module as `EmbeddedText.files`.
///
/// The build command is a shell script, because the package manager compiles an executable of this package with
/// the options of the build: with those of the fuzzer it cannot be linked.
@main
struct EmbedText: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let files = module.sourceFiles.filter { $0.type == .unknown }.map(\.url).sorted { $0.path < $1.path }
        let script = context.package.directoryURL.appending(path: "Plugins/EmbedText/embed-text")
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedText.swift")
        let paths = ([output, target.directoryURL] + files).map { $0.path(percentEncoded: false) }
        return [
            .buildCommand(
                displayName: "Embedding the text files of \(target.name)", executable: script,
                arguments: paths, inputFiles: [script] + files, outputFiles: [output])
        ]
    }
}
