#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace keyswap::kernels {

/// Calls `work` on so many threads, each with its number from 0 on, and waits for all.
/// \pre at least 1
/// \throws Interrupted if the calling thread's poll asks for it, before any has begun; what one of
/// them threw; or std::system_error where the machine has no thread left
void run_on_threads(unsigned threads, std::function<void(unsigned thread)> const& work);

/// First and end of a thread's contiguous share of n elements.
[[nodiscard]] constexpr std::pair<std::size_t, std::size_t>
block_of(std::size_t n, unsigned threads, unsigned thread) {
    std::size_t const share = n / threads;
    std::size_t const rest = n % threads;
    std::size_t const first = share * thread + (thread < rest ? thread : rest);
    return {first, first + share + (thread < rest ? 1 : 0)};
}

} // namespace keyswap::kernels
