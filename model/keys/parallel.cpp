#include "model/keys/parallel.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <atomic>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace keyswap::model {

namespace {

std::uint64_t range_count(std::uint64_t count, std::uint64_t grain) {
    KEYSWAP_EXPECTS(grain > 0);
    return count / grain + (count % grain != 0);
}

} // namespace

std::size_t parallel_slot_count(std::uint64_t count, std::uint64_t grain) {
    auto const threads = static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
    return static_cast<std::size_t>(
        std::clamp<std::uint64_t>(range_count(count, grain), 1, threads));
}

void parallel_slots(std::size_t slots,
                    std::uint64_t count,
                    std::uint64_t grain,
                    std::function<void(std::size_t, std::uint64_t, std::uint64_t)> const& body) {
    KEYSWAP_EXPECTS(slots > 0);
    std::uint64_t const ranges = range_count(count, grain);
    std::atomic<std::uint64_t> next{0};
    auto const run_slot = [&](std::size_t slot) {
        for (std::uint64_t range = next++; range < ranges; range = next++) {
            std::uint64_t const begin = range * grain;
            body(slot, begin, begin + std::min(grain, count - begin));
        }
    };
    if (slots == 1) {
        run_slot(0); // few keys: not worth a task on another thread
    } else {
        tbb::parallel_for(std::size_t{0}, slots, std::size_t{1}, run_slot);
    }
}

void parallel_ranges(std::uint64_t count,
                     std::uint64_t grain,
                     std::function<void(std::uint64_t, std::uint64_t)> const& body) {
    parallel_slots(parallel_slot_count(count, grain),
                   count,
                   grain,
                   [&](std::size_t, std::uint64_t begin, std::uint64_t end) { body(begin, end); });
}

void parallel_for(std::uint64_t count, std::function<void(std::uint64_t)> const& body) {
    parallel_ranges(count, 1, [&](std::uint64_t begin, std::uint64_t) { body(begin); });
}

} // namespace keyswap::model
