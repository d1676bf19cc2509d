#pragma once

/// \file Options of `keyswap multisplit`, and the preparation shared by its modes: on one GPU, and
/// across several GPUs to the owners of buckets.

#include "model/partition/bucket_rule_text.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/output/command_files.hpp"
#include "tools/text/json.hpp"
#include "traces/format/trace_writer.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace keyswap::tools {

struct MultisplitCommand {
    SortArguments keys;
    std::string rule = "delta";
    std::optional<std::uint32_t> buckets;
    std::string method = "fused";
    bool to_owner = false;
    std::optional<std::string> owners;
    std::optional<std::string> gpus;
    std::optional<std::string> output;
    std::optional<std::string> starts;
    std::optional<std::string> record;
    std::string backend = "cpu";
    Existing existing = Existing::keep;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {{{"--input", keys.input}},
                {{"--output", output}, {"--starts", starts}, {"--record", record, true}},
                json ? "--json" : "",
                existing};
    }
};

/// Resolved options, with the keys in memory.
struct MultisplitJob {
    MultisplitCommand const& options;
    std::optional<RunHeader> gpu; ///< GPUs that run it, as in a trace header; nullopt: reference
    SortRequest request;
    std::optional<TraceWriter> trace;
    KeyMemory memory;
    model::ParsedFunction given;
    MultisetDigest content; ///< of all keys before the multisplit
};

/// Writes the files of --starts and --output.
/// \param starts [m] output index of each bucket's first key
[[nodiscard]] Expected<void> write_outputs(MultisplitJob& job,
                                           std::span<std::uint64_t const> starts);

/// "config" of --json. \param buckets their number
[[nodiscard]] Json multisplit_config(MultisplitCommand const& options,
                                     SortRequest const& request,
                                     std::uint32_t buckets);

/// Runs `keyswap multisplit --to-owner`.
[[nodiscard]] Expected<ExitCode> shuffle_keys(MultisplitJob job);

} // namespace keyswap::tools
