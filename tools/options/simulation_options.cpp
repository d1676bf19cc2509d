#include "tools/simulation_options.hpp"

#include "tools/number_option.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <numeric>
#include <sstream>

namespace keyswap::tools {

void add_simulation_options(CLI::App& command, SimulationOptions& options) {
    command.add_option("--platform", options.platform, "Platform by name or file")
        ->capture_default_str();
    command.add_option("--profile", options.profile, "Device profile by name or file");
    command.add_option("--algorithm", options.algorithm, "Schedule, as rmg-paper or p2p-merge")
        ->capture_default_str();
    add_count_option(command, "--keys", options.key_count, "Number of keys");
    command.add_option("--type,--key-type", options.key_type, "u32, u64, i32, i64, f32, f64")
        ->capture_default_str();
    command.add_option("--distribution", options.distribution, "Where the keys come from")
        ->capture_default_str();
    command.add_option("--parameter", options.parameter, "Of the distribution");
    command.add_option("--seed", options.seed, "Of the keys")->capture_default_str();
    command.add_option("--digit-bits", options.digit_bits, "Bits a pass reads")
        ->check(CLI::Range(1, 16))
        ->capture_default_str();
    command.add_option("--tolerance-ppm", options.tolerance_ppm, "Of a chunk")
        ->capture_default_str();
    command.add_option("--fuse-ppm", options.fuse_ppm, "Of a chunk")->capture_default_str();
    command.add_option("--host-node", options.host_node, "NUMA node of input and output")
        ->capture_default_str();
    command.add_option("--cpu-threads", options.cpu_threads, "Of a CPU sort");
    add_rerating_option(command, options.rerating_tolerance);
}

void add_rerating_option(CLI::App& command, double& tolerance) {
    command
        .add_option("--rerating-tolerance",
                    tolerance,
                    "Copies that end within this part of their time share a re-rating: 1e-3 for "
                    "many GPUs; 0 is exact")
        ->check(CLI::Range(0.0, 0.1))
        ->type_name("FLOAT")
        ->default_str("0");
}

Expected<simulator::SimulationRequest> request_from(SimulationOptions const& options,
                                                    simulator::Machine const&) {
    auto const type = parse_key_type(options.key_type);
    if (!type) {
        return tl::unexpected(type.error());
    }
    simulator::SimulationRequest request;
    request.algorithm = options.algorithm;
    request.config.key_count = options.key_count;
    request.config.key_type = *type;
    request.config.digit_bits = options.digit_bits;
    request.config.tolerance_ppm = options.tolerance_ppm;
    request.config.fuse_ppm = options.fuse_ppm;
    request.distribution = options.distribution;
    request.parameter = options.parameter;
    request.seed = options.seed;
    request.host_node = options.host_node;
    request.cpu_threads = options.cpu_threads;
    request.engine.rerating_tolerance = options.rerating_tolerance;
    return request;
}

std::vector<std::string> comma_separated(std::string const& text) {
    std::vector<std::string> pieces;
    std::istringstream stream(text);
    std::string piece;
    while (std::getline(stream, piece, ',')) {
        pieces.push_back(piece);
    }
    return pieces;
}

Expected<std::vector<std::uint32_t>> parse_gpus(std::string const& text,
                                                simulator::Machine const& machine) {
    std::vector<std::uint32_t> gpus;
    if (text.empty()) {
        gpus.resize(machine.platform.gpus.size());
        std::iota(gpus.begin(), gpus.end(), 0U);
        return gpus;
    }
    for (std::string const& piece : comma_separated(text)) {
        std::uint32_t number = 0;
        auto const [end, code] = std::from_chars(piece.data(), piece.data() + piece.size(), number);
        if (code != std::errc{} || end != piece.data() + piece.size()) {
            return tl::unexpected(
                InputError{"--gpus", "'" + piece + "' is no GPU's number", "write --gpus 0,2,4,6"});
        }
        gpus.push_back(number);
    }
    return gpus;
}

} // namespace keyswap::tools
