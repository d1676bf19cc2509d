#pragma once

/// \file Visits stored keys block by block on several threads.

#include "model/key_files/stored_keys.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace keyswap::model {

/// 256 KiB of 32-bit keys: a block fits in the L2 of one core between its loops.
inline constexpr std::uint64_t block_keys = std::uint64_t{1} << 16;

/// Default thread count of a scan: all hardware threads, but at least two so that one computes
/// while the other waits for the disk.
[[nodiscard]] inline unsigned default_thread_count() {
    return std::max(2U, std::thread::hardware_concurrency());
}

/// Runs work(state) on one thread per state and returns when all are done. work() must take blocks
/// from a shared counter: if the process cannot start more threads, the running ones do all blocks.
/// \pre states is not empty
template <class State, class Work>
void work_on_threads(std::vector<State>& states, Work const& work) {
    std::vector<std::jthread> threads;
    try {
        for (std::size_t i = 1; i < states.size(); ++i) {
            threads.emplace_back([&work, &state = states[i]] { work(state); });
        }
    } catch (std::system_error const&) {
        // Thread limit of the process reached: the running threads do all blocks.
    }
    work(states.front());
}

/// Calls visit(state, first, keys) for every block; `keys` starts with the last key of the previous
/// block, followed by key `first` (in the first block, where `first` is 0, nothing precedes it).
/// Each thread has its own state.
/// \returns one state per thread, in no particular order
template <class Word, class State, class Visit>
Expected<std::vector<State>>
visit_blocks(StoredKeys const& keys, unsigned thread_count, State const& initial, Visit visit) {
    std::uint64_t const block_count = (keys.key_count() + block_keys - 1) / block_keys;
    auto const useful = std::clamp<std::uint64_t>(block_count, 1, std::max(1U, thread_count));
    std::vector<State> states(useful, initial);
    std::atomic<std::uint64_t> next_block{0};
    std::mutex mutex;
    std::optional<InputError> failure;
    auto const work = [&](State& state) {
        std::vector<Word> buffer(block_keys + 1);
        for (std::uint64_t block = next_block++; block < block_count; block = next_block++) {
            std::uint64_t const first = block * block_keys;
            std::uint64_t const from = first - (first > 0 ? 1 : 0);
            std::uint64_t const end = std::min(first + block_keys, keys.key_count());
            std::span<Word> const words = std::span(buffer).first(end - from);
            if (auto read = keys.read(from, std::as_writable_bytes(words)); !read) {
                std::scoped_lock const lock(mutex);
                failure = std::move(read.error());
                next_block = block_count;
                return;
            }
            visit(state, first, std::span<Word const>(words));
        }
    };
    work_on_threads(states, work);
    if (failure) {
        return tl::unexpected(std::move(*failure));
    }
    return states;
}

/// Adds a thread's result to another's; lists are added element by element.
template <class Sum>
void add_to(Sum& sum, Sum const& part) {
    if constexpr (requires { sum += part; }) {
        sum += part;
    } else {
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += part[i];
        }
    }
}

/// The sum over all blocks: visit(sum, keys) adds a block's keys to the sum of its thread.
template <class Word, class Sum, class Visit>
Expected<Sum>
sum_blocks(StoredKeys const& keys, unsigned thread_count, Sum const& zero, Visit const& visit) {
    auto const visit_own = [&](Sum& sum, std::uint64_t first, std::span<Word const> words) {
        visit(sum, words.subspan(first > 0 ? 1 : 0));
    };
    return visit_blocks<Word>(keys, thread_count, zero, visit_own).map([](std::vector<Sum> parts) {
        for (std::size_t i = 1; i < parts.size(); ++i) {
            add_to(parts.front(), parts[i]);
        }
        return std::move(parts.front());
    });
}

} // namespace keyswap::model
