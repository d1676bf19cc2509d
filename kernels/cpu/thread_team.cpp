#include "kernels/cpu/thread_team.hpp"

#include <exception>
#include <thread>
#include <vector>

namespace keyswap::kernels {

void run_on_threads(unsigned threads, std::function<void(unsigned thread)> const& work) {
    std::vector<std::exception_ptr> failures(threads);
    {
        auto const guarded = [&](unsigned thread) {
            try {
                work(thread);
            } catch (...) {
                failures[thread] = std::current_exception();
            }
        };
        std::vector<std::jthread> others;
        others.reserve(threads);
        for (unsigned thread = 1; thread < threads; ++thread) {
            others.emplace_back(guarded, thread);
        }
        guarded(0);
    }
    for (std::exception_ptr const& failure : failures) {
        if (failure != nullptr) {
            std::rethrow_exception(failure);
        }
    }
}

} // namespace keyswap::kernels
