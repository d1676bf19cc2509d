/// \file `keyswap topology list | show | draw | import | here | export`.

#include "simulator/dumps/cpu_sheet.hpp"
#include "simulator/dumps/describe_platform.hpp"
#include "simulator/dumps/import_topology.hpp"
#include "simulator/dumps/write_dumps.hpp"
#include "simulator/platform/export_simgrid.hpp"
#include "simulator/platform/render_picture.hpp"
#include "simulator/platform/topology.hpp"
#include "simulator/platform/topology_draw.hpp"
#include "simulator/platform/units.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/accept_only.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"
#include "traces/format/open_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>

namespace keyswap::tools {
namespace {

namespace sim = keyswap::simulator;

struct TopologyOptions {
    std::string platform = "dgx-a100";
    bool json = false;
    std::string use_file;
    std::string dot_file;
    std::string svg_file;
    std::string png_file;
    std::string input_file;
    std::string format;
    sim::ImportOptions import;
    std::optional<std::string> name; ///< of an imported platform; nullopt: from a file name
    std::string output_file = "-";
    Existing existing = Existing::keep;
};

Expected<std::string> read_file(std::string const& path) {
    KEYSWAP_TRY(auto const readable, readable_path(path));
    auto const bytes = open_bytes(readable);
    return bytes ? read_text(**bytes, path) : tl::unexpected(bytes.error());
}

Expected<ExitCode> write_as_text(std::string const& text, std::string const& path) {
    return write_whole_file(path, text).map([] { return ExitCode::fine; });
}

/// The option's file; nullopt if it is empty.
NamedFile named(std::string const& option, std::string const& path) {
    return {option, path.empty() ? std::nullopt : std::optional(path)};
}

Expected<ExitCode> list_platforms(TopologyOptions const& options) {
    Json list = Json::array();
    for (sim::EmbeddedText const& shipped : sim::shipped_platforms()) {
        KEYSWAP_TRY(auto const platform, sim::load_platform(shipped.name));
        if (!options.json) {
            std::cout << shipped.name
                      << std::string(20 - std::min<std::size_t>(19, shipped.name.size()), ' ')
                      << printable_text(platform.description) << "\n";
        }
        list.push_back({{"name", platform.name},
                        {"description", platform.description},
                        {"gpus", platform.gpus.size()},
                        {"hash", hash_text(sim::platform_hash(platform))}});
    }
    if (options.json) {
        Json json = json_result("topology list", Json::object());
        json["platforms"] = std::move(list);
        print_json(json, std::cout);
    } else {
        std::cout << "cluster:dgx-h100:N  N DGX H100 nodes on a rail-optimised fat tree\n"
                     "dgx-a100:nps4       with 4 NUMA nodes a socket; nps2, snc2, snc3, snc4 too\n";
    }
    return ExitCode::fine;
}

double gigabytes(double bytes_per_second) {
    return bytes_per_second / 1e9;
}

/// Bandwidth of the route's narrowest channel, GB/s; 0 if there is no route.
double route_GBps(sim::Topology const& topology, sim::MemoryPlace from, sim::MemoryPlace to) {
    auto const route = topology.route(from, to);
    double narrowest = 0.0;
    if (route) {
        for (sim::ChannelShare const& share : route->shares) {
            double const rate = topology.channels()[share.channel].capacity_Bps / share.weight;
            narrowest = narrowest == 0.0 ? rate : std::min(narrowest, rate);
        }
    }
    return gigabytes(narrowest);
}

Json describe(sim::Platform const& platform, sim::Topology const& topology) {
    Json json = json_result("topology show", {{"platform", platform.name}});
    json["name"] = platform.name;
    json["description"] = platform.description;
    json["hash"] = hash_text(sim::platform_hash(platform));
    for (sim::Link const& link : platform.links) {
        sim::LinkKind const& kind = sim::kind_of(platform, link);
        json["links"].push_back({{"name", link.name},
                                 {"from", link.from},
                                 {"to", link.to},
                                 {"kind", link.kind},
                                 {"bandwidth", sim::format_bandwidth(kind.bandwidth_Bps)},
                                 {"efficiency", kind.efficiency},
                                 {"latency", sim::format_time(kind.latency)},
                                 {"origins", kind.origins}});
    }
    for (sim::Channel const& channel : topology.channels()) {
        json["channels"].push_back(
            {{"name", channel.name}, {"capacity_GBps", gigabytes(channel.capacity_Bps)}});
    }
    return json;
}

void print_matrix(sim::Platform const& platform, sim::Topology const& topology) {
    std::vector<std::pair<std::string, sim::MemoryPlace>> memories;
    for (std::uint32_t i = 0; i < platform.cpus.size(); ++i) {
        memories.emplace_back(platform.cpus[i].name, sim::host_memory(i));
    }
    for (std::uint32_t i = 0; i < platform.gpus.size(); ++i) {
        memories.emplace_back(platform.gpus[i].name, sim::gpu_memory(i));
    }
    constexpr std::size_t columns_max = 24;
    std::cout << "\nOne copy alone from row to column, GB/s";
    std::cout << (memories.size() > columns_max ? " (first memories only)\n" : "\n");
    memories.resize(std::min(memories.size(), columns_max));
    std::cout << formatted("%-10s", "");
    for (auto const& memory : memories) {
        std::cout << formatted("%9.9s", printable_text(memory.first).c_str());
    }
    for (auto const& from : memories) {
        std::cout << formatted("\n%-10.10s", printable_text(from.first).c_str());
        for (auto const& to : memories) {
            std::cout << formatted("%9.1f", route_GBps(topology, from.second, to.second));
        }
    }
    std::cout << '\n';
}

Expected<ExitCode> show_platform(TopologyOptions const& options) {
    KEYSWAP_TRY(auto const platform, sim::load_platform(options.platform));
    KEYSWAP_TRY(auto const topology, sim::Topology::of(platform));
    if (options.json) {
        print_json(describe(platform, topology), std::cout);
        return ExitCode::fine;
    }
    std::cout << printable_text(platform.name) << " (" << hash_text(sim::platform_hash(platform))
              << "): " << printable_text(platform.description) << "\n\nKinds of links\n";
    for (sim::LinkKind const& kind : platform.link_kinds) {
        std::cout << "  " << printable_text(kind.name) << ": "
                  << sim::format_bandwidth(kind.bandwidth_Bps) << " each way, efficiency "
                  << kind.efficiency << ", latency " << sim::format_time(kind.latency) << "\n";
        for (auto const& [constant, origin] : kind.origins) {
            std::cout << "    " << constant << ": " << printable_text(origin) << "\n";
        }
    }
    std::cout << "\nLinks\n";
    for (sim::Link const& link : platform.links) {
        std::cout << "  "
                  << printable_text(link.name + ": " + link.from + " - " + link.to + " (" +
                                    link.kind + ")")
                  << '\n';
    }
    print_matrix(platform, topology);
    return ExitCode::fine;
}

Expected<ExitCode> draw_platform(TopologyOptions const& options) {
    bool const text_only = options.svg_file.empty() && options.png_file.empty();
    std::string const dot_file = options.dot_file.empty() && text_only ? "-" : options.dot_file;
    KEYSWAP_RETURN_IF_ERROR(
        check_files({{named("--platform", options.platform), named("--use", options.use_file)},
                     {named("--dot", dot_file),
                      named("--svg", options.svg_file),
                      named("--png", options.png_file)},
                     "",
                     options.existing}));
    KEYSWAP_TRY(auto const platform, sim::load_platform(options.platform));
    sim::LinkUseTable use;
    if (!options.use_file.empty()) {
        KEYSWAP_TRY(auto const table,
                    read_file(options.use_file).and_then([&](std::string const& text) {
                        return sim::parse_link_use(text, options.use_file, platform);
                    }));
        use = table;
    }
    std::string const text = sim::draw_topology(platform, use);
    using Picture = std::pair<std::string, sim::PictureFormat>;
    for (auto const& [path, format] : {Picture{options.svg_file, sim::PictureFormat::svg},
                                       Picture{options.png_file, sim::PictureFormat::png}}) {
        if (path.empty()) {
            continue;
        }
        KEYSWAP_RETURN_IF_ERROR(
            sim::render_picture(text, format).and_then([&path = path](std::string const& picture) {
                return write_whole_file(path, picture);
            }));
    }
    return dot_file.empty() ? ExitCode::fine : write_as_text(text, dot_file);
}

/// Writes the platform file, and to standard error the assumptions that no dump contains.
Expected<ExitCode> write_imported(sim::ImportedPlatform const& imported,
                                  TopologyOptions const& options) {
    for (std::string const& note : imported.notes) {
        std::cerr << "Note: " << printable_text(note) << ".\n";
    }
    auto const assumptions = sim::assumptions_of(imported.platform);
    if (!assumptions.empty()) {
        std::cerr << "Not in the input, so assumed ('keyswap calibrate' replaces it):\n";
    }
    for (std::string const& line : assumptions) {
        std::cerr << "  " << printable_text(line) << '\n';
    }
    return write_as_text(sim::write_platform(imported.platform), options.output_file);
}

bool is_nccl(std::string const& format) {
    return format == "nccl" || format == "nccl-xml";
}

/// Platform name: --name, else the output file's name, else the input file's, so that two imports
/// are distinguishable in a comparison.
Expected<sim::ImportOptions> with_name(TopologyOptions const& options) {
    if (options.name && options.name->empty()) {
        return input_error("--name", "'' is no name", "give one, or leave it out");
    }
    sim::ImportOptions import = options.import;
    for (std::string const& file : {options.input_file, options.output_file}) {
        std::string const stem = std::filesystem::path(file).stem().string();
        import.platform_name = stem.empty() || stem == "-" ? import.platform_name : stem;
    }
    import.platform_name = options.name.value_or(import.platform_name);
    return import;
}

Expected<ExitCode> import_platform(TopologyOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_files({{named("--input", options.input_file)},
                                         {named("--output", options.output_file)},
                                         "",
                                         options.existing}));
    KEYSWAP_TRY(auto const text, read_file(options.input_file));
    bool const is_xml =
        is_nccl(options.format) || (options.format.empty() && sim::is_nccl_xml(text));
    KEYSWAP_TRY(auto const import, with_name(options));
    KEYSWAP_TRY(auto const imported,
                is_xml ? sim::import_nccl_xml(text, options.input_file, import)
                       : sim::import_nvidia_smi(text, options.input_file, import));
    return write_imported(imported, options);
}

struct ProgramOutput {
    std::string text; ///< standard output and error
    bool succeeded = false;
};

ProgramOutput output_of(std::string const& command) {
    std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
    ProgramOutput output;
    if (pipe == nullptr) {
        return output;
    }
    std::array<char, 4096> piece{};
    while (std::size_t const read = std::fread(piece.data(), 1, piece.size(), pipe)) {
        output.text.append(piece.data(), read);
    }
    output.succeeded = pclose(pipe) == 0 && !output.text.empty();
    return output;
}

/// Nonempty lines without surrounding white space.
std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::size_t const first = line.find_first_not_of(" \t\r");
        if (first != std::string::npos) {
            found.push_back(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
        }
    }
    return found;
}

/// Detects failures by output too: some driver versions exit with 0 after one.
bool is_failure(ProgramOutput const& output) {
    return !output.succeeded ||
           std::ranges::any_of(
               std::array{"Failed to ", "NVIDIA-SMI has failed", "No devices", "Unable to "},
               [&](char const* begin) { return output.text.starts_with(begin); });
}

/// Error with nvidia-smi's own message, or the note that it is missing.
InputError driver_error(ProgramOutput const& output) {
    auto const lines = lines_of(output.text);
    bool const is_absent = lines.empty() || lines.front().find("not found") != std::string::npos;
    return InputError{
        "topology here",
        is_absent ? "nvidia-smi, which lists the GPUs, was not found here"
                  : "nvidia-smi fails: \"" + printable_text(lines.front().substr(0, 200)) + "\"",
        is_absent ? "bring the output of 'nvidia-smi topo -m' from the machine and give it to "
                    "'keyswap topology import'"
                  : "repair the driver first: 'nvidia-smi' has to run without errors"};
}

Expected<ExitCode> import_here(TopologyOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(
        check_files({{}, {named("--output", options.output_file)}, "", options.existing}));
    auto const names = output_of("nvidia-smi --query-gpu=name --format=csv,noheader");
    if (is_failure(names)) {
        return tl::unexpected(driver_error(names));
    }
    auto const matrix = output_of("nvidia-smi topo -m");
    if (is_failure(matrix)) {
        return tl::unexpected(driver_error(matrix));
    }
    KEYSWAP_TRY(auto import, with_name(options));
    import.driver_names = lines_of(names.text);
    if (std::ifstream cpuinfo("/proc/cpuinfo"); cpuinfo) {
        std::string const text{std::istreambuf_iterator<char>(cpuinfo), {}};
        import.cpu = sim::cpu_model_of(text);
    }
    KEYSWAP_TRY(auto const imported,
                sim::import_nvidia_smi(matrix.text, "nvidia-smi topo -m", import));
    return write_imported(imported, options);
}

/// Text in a format other than toml.
Expected<std::string> export_text(sim::Platform const& platform, std::string const& format) {
    if (!is_nccl(format) && format != "nvidia-smi") {
        return sim::export_simgrid(platform);
    }
    KEYSWAP_TRY(auto const dump, sim::describe_platform(platform));
    return is_nccl(format) ? sim::write_nccl_xml(dump) : sim::write_nvidia_smi(dump);
}

Expected<ExitCode> export_platform(TopologyOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_files({{named("--platform", options.platform)},
                                         {named("--output", options.output_file)},
                                         "",
                                         options.existing}));
    KEYSWAP_TRY(auto const platform, sim::load_platform(options.platform));
    if (options.format == "toml") {
        KEYSWAP_TRY(auto const tables, sim::write_optional_tables(options.platform));
        return write_as_text(sim::write_platform(platform) + tables, options.output_file);
    }
    KEYSWAP_TRY(auto const text, export_text(platform, options.format));
    return write_as_text(text, options.output_file);
}

void add_platform_option(CLI::App& command, TopologyOptions& options) {
    command
        .add_option(
            "platform,--platform", options.platform, "Shipped name, cluster:NODE:N or a file")
        ->capture_default_str();
}

void add_gpu_option(CLI::App& command, TopologyOptions& options) {
    command
        .add_option("--gpu",
                    options.import.gpu_names,
                    "The kind of GPU, as nvidia-smi -L names it, or four numbers: \"48 GB, 864 "
                    "GB/s, 142 SMs, 2520 MHz\"; once for all, or once for each GPU. Default: what "
                    "the input says, else H100")
        ->allow_extra_args(false);
}

} // namespace

void add_topology_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& topology =
        *app.add_subcommand("topology", "List, show, draw, import and export machines");
    topology.require_subcommand(1);
    auto const options = std::make_shared<TopologyOptions>();

    CLI::App& list = *topology.add_subcommand("list", "Name the shipped platforms");
    list.add_flag("--json", options->json, "Print JSON");
    run_when_chosen(list, chosen, options, list_platforms);

    CLI::App& show = *topology.add_subcommand("show", "Print links, origins and routes' rates");
    add_platform_option(show, *options);
    show.add_flag("--json", options->json, "Print JSON");
    run_when_chosen(show, chosen, options, show_platform);

    CLI::App& draw = *topology.add_subcommand("draw", "Draw a platform with Graphviz");
    add_platform_option(draw, *options);
    draw.add_option("--use", options->use_file, "CSV of link,GB/s that colours the links");
    draw.add_option("--dot", options->dot_file, "File for the text that Graphviz reads");
    draw.add_option("--svg", options->svg_file, "File for a picture, which needs Graphviz");
    draw.add_option("--png", options->png_file, "File for a picture, which needs Graphviz");
    add_force_option(draw, options->existing);
    run_when_chosen(draw, chosen, options, draw_platform);

    CLI::App& import = *topology.add_subcommand("import", "Make a platform file from a dump");
    import
        .add_option(
            "input,--input", options->input_file, "Output of nvidia-smi topo -m, or NCCL's XML")
        ->required();
    accept_only(*import.add_option(
                    "--format", options->format, "Format of the input, if it cannot be detected"),
                {"nvidia-smi", "nccl", "nccl-xml"});
    add_gpu_option(import, *options);
    import.add_option("--name", options->name, "Name of the platform (default: the file's name)");
    import.add_option("--output", options->output_file, "TOML file")->capture_default_str();
    add_force_option(import, options->existing);
    run_when_chosen(import, chosen, options, import_platform);

    CLI::App& here =
        *topology.add_subcommand("here", "Make a platform file of this machine with nvidia-smi");
    add_gpu_option(here, *options);
    here.add_option("--name", options->name, "Name of the platform (default: the file's name)");
    here.add_option("--output", options->output_file, "TOML file")->capture_default_str();
    add_force_option(here, options->existing);
    run_when_chosen(here, chosen, options, import_here);

    CLI::App& output = *topology.add_subcommand("export", "Write a platform in another format");
    add_platform_option(output, *options);
    accept_only(*output.add_option(
                    "--format",
                    options->format,
                    "simgrid (default), toml, or a dump: nccl (XML) or nvidia-smi (topo -m), "
                    "which 'topology import' reads"),
                {"simgrid", "toml", "nccl", "nccl-xml", "nvidia-smi"});
    output.add_option("--output", options->output_file, "File")->capture_default_str();
    add_force_option(output, options->existing);
    run_when_chosen(output, chosen, options, export_platform);
}

} // namespace keyswap::tools
