#pragma once

/// \file Visits the rows of a table block by block on several threads.

#include "model/key_files/key_blocks.hpp"
#include "model/rows/table/row_words.hpp"
#include "traces/errors/interruption.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace keyswap::model {

/// Rows [first, first + count) of a batch.
struct RowBlock {
    RowBatch const* batch = nullptr;
    std::uint64_t first = 0;
    std::uint64_t count = 0;

    [[nodiscard]] std::uint64_t first_row() const { return batch->first_row + first; }
};

[[nodiscard]] inline std::vector<RowBlock> blocks_of(RowTable const& table) {
    std::vector<RowBlock> blocks;
    for (RowBatch const& batch : table.batches()) {
        for (std::uint64_t first = 0; first < batch.row_count; first += block_rows) {
            blocks.push_back({&batch, first, std::min(block_rows, batch.row_count - first)});
        }
    }
    return blocks;
}

/// Calls visit(state, block) for every block, with one state per thread, created by make().
/// \returns the states, in no particular order
/// \throws Interrupted if polling the calling thread requests it, after all other threads ended
template <class Make, class Visit>
auto visit_rows(RowTable const& table, unsigned thread_count, Make make, Visit visit) {
    std::vector<RowBlock> const blocks = blocks_of(table);
    unsigned const wanted = thread_count == 0 ? default_thread_count() : thread_count;
    auto const useful = std::clamp<std::size_t>(blocks.size(), 1, wanted);
    std::vector<decltype(make())> states;
    for (std::size_t i = 0; i < useful; ++i) {
        states.push_back(make());
    }
    std::atomic<std::size_t> next_block{0};
    auto const work = [&](auto& state) {
        for (std::size_t i = next_block++; i < blocks.size(); i = next_block++) {
            try {
                poll_interruption();
            } catch (Interrupted const&) {
                next_block = blocks.size();
                throw;
            }
            visit(state, blocks[i]);
        }
    };
    work_on_threads(states, work);
    return states;
}

} // namespace keyswap::model
