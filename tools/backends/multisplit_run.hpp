#pragma once

/// \file A multisplit by one method after the other, by the reference or on a GPU, each held
/// against the plain stable partition.

#include "model/partition/bucket_rule_text.hpp"
#include "tools/backends/key_memory.hpp"
#include "traces/records/records.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace keyswap::tools {

struct MethodRun {
    PartitionRecord partition; ///< its step, GPU and function are the only ones
    SequenceDigest output;     ///< of an unstable method, too
    std::string wrong;         ///< the first property that does not hold; empty if all do
};

struct MultisplitRun {
    BucketFunction function;
    std::vector<std::uint64_t> counts;   ///< [m], as counted by the first method's GPU
    std::vector<MultisetDigest> digests; ///< [m] of the keys of each bucket, likewise
    SequenceDigest expected;             ///< of the plain stable partition
    std::vector<MethodRun> methods;

    [[nodiscard]] bool holds() const {
        return std::ranges::all_of(methods, [](MethodRun const& run) { return run.wrong.empty(); });
    }
};

/// Runs the method of that name, or "all" that take so many buckets, on a copy of the keys; the
/// first one's result is left in the memory, as images.
/// \return an error for a method that is not known or takes fewer buckets
[[nodiscard]] Expected<MultisplitRun> split_by_reference(model::GivenFunction const& given,
                                                         std::string const& method,
                                                         KeyMemory& memory,
                                                         model::SortConfig const& config);

/// The same by the kernels on the first GPU, whose outputs come back to be looked at.
[[nodiscard]] Expected<MultisplitRun> split_on_gpu(model::GivenFunction const& given,
                                                   std::string const& method,
                                                   KeyMemory& memory,
                                                   model::SortConfig const& config);

} // namespace keyswap::tools
