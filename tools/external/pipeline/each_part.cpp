#include "tools/external/pipeline/each_part.hpp"

#include "kernels/cpu/thread_team.hpp"
#include "tools/external/pipeline/blocking_queue.hpp"

#include <algorithm>
#include <atomic>
#include <string>

namespace keyswap::tools {

InputError threads_missing(unsigned threads, std::system_error const& error) {
    return {std::to_string(threads) + " threads",
            std::string("cannot be started: ") + error.what(),
            "give fewer --threads"};
}

Expected<void>
for_each_part(unsigned threads,
              std::size_t parts,
              std::function<Expected<void>(std::size_t part, unsigned thread)> const& work) {
    FirstError errors;
    std::atomic<std::size_t> next{0};
    auto const take_parts = [&](unsigned thread) {
        for (std::size_t part = next++; part < parts; part = next++) {
            if (!errors.take(work(part, thread))) {
                next = parts;
            }
        }
    };
    auto const workers =
        static_cast<unsigned>(std::clamp<std::size_t>(parts, 1, std::max(threads, 1U)));
    if (workers == 1) {
        take_parts(0);
        return errors.result();
    }
    try {
        kernels::run_on_threads(workers, take_parts);
    } catch (std::system_error const& error) {
        return tl::unexpected(threads_missing(workers, error));
    }
    return errors.result();
}

} // namespace keyswap::tools
