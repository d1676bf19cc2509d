#pragma once

#include "traces/records/key_type.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// A sort of another library, for comparison with the CPU sorts: keys of u32 or u64 alone.
struct CpuPeer {
    std::string_view name;
    bool uses_threads = false; ///< else it sorts on one
    void (*sort_u32)(std::span<std::uint32_t> keys, unsigned threads) = nullptr;
    void (*sort_u64)(std::span<std::uint64_t> keys, unsigned threads) = nullptr;
};

/// Those that this build has: TBB's always, libstdc++'s parallel mode with OpenMP, Highway's vqsort
/// and Boost.Sort where they are installed.
[[nodiscard]] std::vector<CpuPeer> cpu_peers();

} // namespace keyswap::tools
