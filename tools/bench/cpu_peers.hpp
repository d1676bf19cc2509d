#pragma once

#include "traces/records/key_type.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// Sort of another library, as a baseline for the CPU sorts; u32 and u64 keys only.
struct CpuPeer {
    std::string_view name;
    bool uses_threads = false; ///< false: single-threaded
    void (*sort_u32)(std::span<std::uint32_t> keys, unsigned threads) = nullptr;
    void (*sort_u64)(std::span<std::uint64_t> keys, unsigned threads) = nullptr;
};

/// Sorts compiled into this build: TBB always; libstdc++'s parallel mode with OpenMP; Highway's
/// vqsort and Boost.Sort if installed.
[[nodiscard]] std::vector<CpuPeer> cpu_peers();

} // namespace keyswap::tools
