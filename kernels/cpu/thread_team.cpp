#include "kernels/cpu/thread_team.hpp"

#include "traces/errors/interruption.hpp"

#include <exception>
#include <latch>
#include <thread>
#include <vector>

namespace keyswap::kernels {

void run_on_threads(unsigned threads, std::function<void(unsigned thread)> const& work) {
    poll_interruption();
    std::vector<std::exception_ptr> failures(threads);
    {
        auto const guarded = [&](unsigned thread) {
            try {
                work(thread);
            } catch (...) {
                failures[thread] = std::current_exception();
            }
        };
        // `work` may wait for all threads, so none runs it before all have been started.
        std::latch decided(1);
        bool complete = false;
        auto const begun = [&](unsigned thread) {
            decided.wait();
            if (complete) {
                guarded(thread);
            }
        };
        std::vector<std::jthread> others;
        others.reserve(threads);
        try {
            for (unsigned thread = 1; thread < threads; ++thread) {
                others.emplace_back(begun, thread);
            }
        } catch (...) {
            decided.count_down();
            throw;
        }
        complete = true;
        decided.count_down();
        guarded(0);
    }
    for (std::exception_ptr const& failure : failures) {
        if (failure != nullptr) {
            std::rethrow_exception(failure);
        }
    }
}

} // namespace keyswap::kernels
