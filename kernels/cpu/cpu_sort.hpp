#pragma once

/// \file The sorts of the Intel report on this machine's CPU, in plain C++: `buffered-radix`
/// and `simd-merge`. Source: Satish et al., Fast Sort on CPUs, GPUs and Intel MIC (2010),
/// section 4.

#include "kernels/cpu/merge_kernels.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/records/records.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace keyswap::kernels {

/// Catalogue names of the sorts that run on CPUs.
[[nodiscard]] std::span<std::string_view const> cpu_sorts();
[[nodiscard]] bool runs_on_cpu(AlgorithmInfo const& algorithm);

inline constexpr unsigned cpu_threads_max = 1024;

/// Options of a sort. The algorithm determines stability; zero order `equal` is rejected.
struct CpuSortOptions : SortShape, SortParameters {
    AlgorithmChoice choice = choose("buffered-radix", "published").value(); ///< one of cpu_sorts()
    unsigned threads = 1;         ///< 1 to cpu_threads_max; does not affect the result
    SimdUse simd = SimdUse::best; ///< does not affect the result
};

/// Raw keys with their values, and scratch memory of the same sizes; no overlaps. The bytes of a
/// b128 key are a number, most significant byte first.
struct CpuSortArrays {
    std::span<std::byte> keys;          ///< [n] of the key type, aligned to it
    std::span<std::byte> values;        ///< [n] of the value type, or empty
    std::span<std::byte> key_scratch;   ///< [n]
    std::span<std::byte> value_scratch; ///< [n], or empty
};

/// Trace header of a run of n keys: configuration and processor. The caller fills in program,
/// commit, date and input.
[[nodiscard]] RunHeader cpu_run_header(CpuSortOptions const& options, std::uint64_t key_count);

/// Sorts in place.
/// \param trace receives the run's records except for the header; may be null
/// \return an error if the options are not supported, or the machine has too little memory or
/// cannot start the threads; in the latter two cases the keys are lost
/// \pre the sizes of the arrays match the options
[[nodiscard]] Expected<void>
sort_on_cpu(CpuSortOptions const& options, CpuSortArrays const& arrays, TraceSink* trace);

} // namespace keyswap::kernels
