#pragma once

/// \file What `keyswap multisplit` asks for, and what both of its ways begin with: on one GPU, and
/// across several to the owners of buckets.

#include "model/partition/bucket_rule_text.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/output/command_files.hpp"
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

/// Options, understood, and the keys in memory.
struct MultisplitJob {
    MultisplitCommand const& options;
    std::optional<RunHeader> gpu; ///< the GPUs that run it, as a header has them; none = reference
    SortRequest request;
    std::optional<TraceWriter> trace;
    KeyMemory memory;
    model::GivenFunction given;
    MultisetDigest content; ///< of all keys before anything moves
};

/// Writes --starts and --output.
/// \param starts [m] first key of each bucket in the output
[[nodiscard]] Expected<void> write_outputs(MultisplitJob& job,
                                           std::span<std::uint64_t const> starts);

/// `keyswap multisplit --to-owner`.
[[nodiscard]] Expected<ExitCode> shuffle_keys(MultisplitJob job);

} // namespace keyswap::tools
