#pragma once

/// \file One configuration of a sort that is measured. No CUDA header is needed.

#include "kernels/sort.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace keyswap::kernels {

/// Keys made on the GPUs, where none are given.
enum class BenchKeys {
    uniform,    ///< all key bits random
    zipf,       ///< exponent 1 over all values, by the continuous inverse of its distribution
    sorted,     ///< ascending over the whole range
    two_values, ///< 0 and 1
    zero        ///< one value
};

[[nodiscard]] std::string_view to_string(BenchKeys keys);
[[nodiscard]] Expected<BenchKeys> parse_bench_keys(std::string_view text);

/// What a sort is measured beside, on the first GPU.
enum class BenchPeer {
    none,
    cub_merge_sort,
    cub_radix_sort,       ///< by CUB's own policy
    cub_tuned_radix_sort, ///< by a policy that was faster somewhere; see tuned_radix_sort.hpp
};

/// One configuration to measure.
struct BenchJob {
    SortOptions options;
    BenchPeer peer = BenchPeer::none; ///< measured in place of the options' sort; device-resident
    std::uint64_t key_count = 0;
    Residence residence = Residence::devices;
    int runs = 5;
    BenchKeys pattern = BenchKeys::uniform;
    std::span<std::byte const> keys{};   ///< raw keys [key_count], or empty: made by pattern
    std::span<std::byte const> values{}; ///< values [key_count], or empty: made, if there are any
};

} // namespace keyswap::kernels
