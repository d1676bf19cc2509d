#pragma once

/// \file The sorts of the Intel report on this machine's processor, in plain C++: `buffered-radix`
/// and `simd-merge`. Source: Satish et al., Fast Sort on CPUs, GPUs and Intel MIC (2010),
/// section 4.

#include "kernels/cpu/merge_kernels.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/records/records.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace keyswap::kernels {

/// Names of the sorts that run on CPUs, as in the catalogue.
[[nodiscard]] std::span<std::string_view const> cpu_sorts();
[[nodiscard]] bool runs_on_cpu(AlgorithmInfo const& algorithm);

inline constexpr unsigned cpu_threads_max = 1024;

/// What is sorted and how. Stability is the algorithm's own; the zero order `equal` is refused.
struct CpuSortOptions : SortShape, SortParameters {
    AlgorithmChoice choice = choose("buffered-radix", "published").value(); ///< one of cpu_sorts()
    unsigned threads = 1;         ///< 1 to cpu_threads_max; the result does not depend on it
    SimdUse simd = SimdUse::best; ///< nor on this
};

/// Raw keys with their values, and as much room for each; none overlap. A b128 key is the number
/// that its bytes are when read from the most significant on.
struct CpuSortArrays {
    std::span<std::byte> keys;          ///< [n] of the key type, aligned to it
    std::span<std::byte> values;        ///< [n] of the value type, or empty
    std::span<std::byte> key_scratch;   ///< [n]
    std::span<std::byte> value_scratch; ///< [n], or empty
};

/// The header of a trace of a run of n keys: configuration and processor. Program, commit, date and
/// input are the caller's to fill.
[[nodiscard]] RunHeader cpu_run_header(CpuSortOptions const& options, std::uint64_t key_count);

/// Sorts in place.
/// \param trace takes the run's records, header excepted; null = none
/// \return an error where the options are not supported, or the machine has too little memory or
/// too few threads; the keys are lost in the latter two cases \pre the arrays' sizes agree with the
/// options
[[nodiscard]] Expected<void>
sort_on_cpu(CpuSortOptions const& options, CpuSortArrays const& arrays, TraceSink* trace);

} // namespace keyswap::kernels
