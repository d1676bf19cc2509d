#pragma once

/// \file Runs multisplit methods one after the other, by the reference or on a GPU, and compares
/// each result with a plain stable partition.

#include "model/partition/bucket_rule_text.hpp"
#include "tools/backends/key_memory.hpp"
#include "traces/records/records.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace keyswap::tools {

struct MethodRun {
    PartitionRecord partition; ///< of the only step, GPU and function
    SequenceDigest output;     ///< also for an unstable method
    std::string wrong;         ///< first violated property; empty if none
};

struct MultisplitRun {
    BucketFunction function;
    std::vector<std::uint64_t> counts;   ///< [m], counted by the first method
    std::vector<MultisetDigest> digests; ///< [m] keys of each bucket, by the first method
    SequenceDigest expected;             ///< of the plain stable partition
    std::vector<MethodRun> methods;

    [[nodiscard]] bool holds() const {
        return std::ranges::all_of(methods, [](MethodRun const& run) { return run.wrong.empty(); });
    }
};

/// Runs the named method, or "all" that support so many buckets, on a copy of the keys. Stores the
/// first method's result in `memory`, as images.
/// \return an error if the method is unknown or does not support so many buckets
[[nodiscard]] Expected<MultisplitRun> split_by_reference(model::ParsedFunction const& given,
                                                         std::string const& method,
                                                         KeyMemory& memory,
                                                         model::SortConfig const& config);

/// As split_by_reference(), with the kernels on the first GPU; copies the outputs back to check.
[[nodiscard]] Expected<MultisplitRun> split_on_gpu(model::ParsedFunction const& given,
                                                   std::string const& method,
                                                   KeyMemory& memory,
                                                   model::SortConfig const& config);

} // namespace keyswap::tools
