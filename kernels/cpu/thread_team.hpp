#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace keyswap::kernels {

/// Calls `work` on `threads` threads with their numbers from 0, and waits for all.
/// \pre threads >= 1
/// \throws Interrupted if the calling thread's poll requests it before any work has started; an
/// exception of `work`; std::system_error if a thread cannot be started
void run_on_threads(unsigned threads, std::function<void(unsigned thread)> const& work);

/// Begin and end of a thread's contiguous share of n elements.
[[nodiscard]] constexpr std::pair<std::size_t, std::size_t>
block_of(std::size_t n, unsigned threads, unsigned thread) {
    std::size_t const share = n / threads;
    std::size_t const rest = n % threads;
    std::size_t const first = share * thread + (thread < rest ? thread : rest);
    return {first, first + share + (thread < rest ? 1 : 0)};
}

} // namespace keyswap::kernels
