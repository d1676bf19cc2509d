#include "model/buckets/chunks.hpp"
#include "model/check/cause_tests.hpp"
#include "model/key_files/key_blocks.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace keyswap::model {

/// An order that the sort may have used instead of the requested one.
struct OtherOrder {
    KeyType type;
    Direction direction;
    ZeroOrder zero_order = ZeroOrder::total;
    NanOrder nan_order = NanOrder::total;
    bool swapped_bytes = false;
};

namespace {

Direction other(Direction direction) {
    return direction == Direction::ascending ? Direction::descending : Direction::ascending;
}

/// Candidate orders, most likely first. They may include the requested order, which a wrong output
/// does not have.
template <class Word>
std::vector<OtherOrder> other_orders(KeyType type, Direction direction) {
    std::vector<OtherOrder> orders{
        {type, direction, ZeroOrder::equal},
        {type, direction, ZeroOrder::equal, NanOrder::last},
        {type, direction, ZeroOrder::equal, NanOrder::first},
    };
    for (bool const swapped_bytes : {false, true}) {
        for (Direction const way : {direction, other(direction)}) {
            for (KeyTraits const& each : key_traits) {
                if (each.size_bytes == sizeof(Word)) {
                    orders.push_back(
                        {each.type, way, ZeroOrder::total, NanOrder::total, swapped_bytes});
                }
            }
        }
    }
    return orders;
}

std::string sentence(OtherOrder const& order, KeyType type, Direction direction) {
    std::string const way = order.direction == direction
                                ? ""
                                : std::string{", "} + std::string{to_string(order.direction)};
    if (order.swapped_bytes) {
        return "the output is sorted if the bytes of each key are read in the other order, as " +
               std::string{to_string(order.type)} + way;
    }
    if (order.type != type) {
        return "the output is sorted as " + std::string{to_string(order.type)} + way +
               ", and not as " + std::string{to_string(type)};
    }
    switch (order.nan_order) {
    case NanOrder::total:
        break;
    case NanOrder::first:
        return "the output is sorted if NaNs come first (" + setting("nan-order", "first") + " " +
               setting("zero-order", "equal") + ")";
    case NanOrder::last:
        return "the output is sorted if NaNs come last (" + setting("nan-order", "last") + " " +
               setting("zero-order", "equal") + ")";
    }
    return "the output is sorted if -0.0 and +0.0 are equal (" + setting("zero-order", "equal") +
           ")";
}

/// First index of each sorted run of the output except the first.
template <class Word>
Expected<std::vector<std::uint64_t>> run_begins(CauseFiles<Word> const& files) {
    KEYSWAP_TRY(auto const states,
                visit_blocks<Word>(files.output,
                                   files.thread_count,
                                   std::vector<std::uint64_t>{},
                                   [&rule = files.rule](std::vector<std::uint64_t>& begins,
                                                        std::uint64_t first,
                                                        std::span<Word const> words) {
                                       std::uint64_t const before = first > 0 ? 1 : 0;
                                       for (std::size_t i = 1; i < words.size(); ++i) {
                                           if (order_by(rule, words[i - 1]) >
                                               order_by(rule, words[i])) {
                                               begins.push_back(first - before + i);
                                           }
                                       }
                                   }));
    std::vector<std::uint64_t> all;
    for (auto const& state : states) {
        all.insert(all.end(), state.begin(), state.end());
    }
    std::ranges::sort(all);
    return all;
}

/// A division of the output into sorted chunks.
struct SortedChunks {
    std::vector<std::uint64_t> begins; ///< first index of each chunk; starts with 0
    std::string noun;                  ///< "GPU", "output file"
    int first_number = 0;              ///< number of the first chunk in messages
};

/// Maximum number of runs that can be chunks.
constexpr std::uint64_t chunk_count_max = 1'024;

/// Minimum size of inferred chunks: shorter ones are sorted by chance.
constexpr std::uint64_t guessed_chunk_keys_min = 8;

/// Possible divisions of the output into sorted chunks, most likely first.
template <class Word>
std::vector<SortedChunks> possible_chunks(CauseFiles<Word> const& files,
                                          std::vector<std::uint64_t> const& runs) {
    std::uint64_t const count = files.output.key_count();
    std::vector<SortedChunks> result;
    auto const add = [&](std::vector<std::uint64_t> begins, std::string noun, int first_number) {
        if (std::ranges::includes(begins, runs)) {
            result.push_back({std::move(begins), std::move(noun), first_number});
        }
    };
    // An empty file would be a chunk without a position in sorted order.
    auto const file_begins = files.output.file_begins();
    if (file_begins.size() > 1 && file_begins.back() < count &&
        std::ranges::adjacent_find(file_begins) == file_begins.end()) {
        add(file_begins, "output file", 1);
    }
    std::uint64_t const gpus_given = files.symptoms.gpu_count.value_or(0);
    std::uint64_t const gpus_min = gpus_given > 0 ? gpus_given : 2;
    std::uint64_t const gpus_max =
        gpus_given > 0
            ? gpus_given
            : std::min<std::uint64_t>(count / guessed_chunk_keys_min, 4 * (runs.size() + 1));
    for (std::uint64_t gpus = gpus_min; gpus <= gpus_max; ++gpus) {
        std::uint64_t const size = Chunks(count, static_cast<std::uint32_t>(gpus)).size();
        if (std::ranges::all_of(runs, [size](std::uint64_t run) { return run % size == 0; })) {
            std::vector<std::uint64_t> begins;
            for (std::uint64_t begin = 0; begin < count; begin += size) {
                begins.push_back(begin);
            }
            add(std::move(begins), "GPU", 0);
        }
    }
    return result;
}

/// Rank of each chunk in sorted order; nullopt if the ranges of their keys overlap.
template <class Word>
Expected<std::optional<std::vector<std::size_t>>> sorted_order(CauseFiles<Word> const& files,
                                                               SortedChunks const& chunks) {
    std::vector<Word> lowest;
    std::vector<Word> highest;
    for (std::size_t i = 0; i < chunks.begins.size(); ++i) {
        std::uint64_t const end =
            i + 1 < chunks.begins.size() ? chunks.begins[i + 1] : files.output.key_count();
        for (auto const& [index, ends] :
             {std::pair{chunks.begins[i], &lowest}, std::pair{end - 1, &highest}}) {
            KEYSWAP_TRY(auto const word, files.output.template key<Word>(index));
            ends->push_back(order_by(files.rule, word));
        }
    }
    std::vector<std::size_t> order(lowest.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        return std::pair{lowest[i], highest[i]};
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (highest[order[i - 1]] > lowest[order[i]]) {
            return std::nullopt;
        }
    }
    return order;
}

std::string exchanged_sentence(SortedChunks const& chunks, std::vector<std::size_t> const& order) {
    auto const name = [&](std::size_t i) {
        return std::to_string(static_cast<int>(i) + chunks.first_number);
    };
    std::vector<std::size_t> moved;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] != i) {
            moved.push_back(i);
        }
    }
    std::string const whose = "of " + chunks.noun + "s ";
    if (moved.size() == 2) {
        return "the sorted chunks " + whose + name(moved[0]) + " and " + name(moved[1]) +
               " are swapped";
    }
    constexpr std::size_t named_max = 16;
    std::string const list =
        joined_text(std::span(order).first(std::min(order.size(), named_max)), ", ", name);
    return "sorted chunks are in the wrong order: those " + whose + list +
           (order.size() > named_max ? " ..." : "") + " follow each other in sorted order";
}

} // namespace

template <class Word>
CauseFinding find_other_order(CauseFiles<Word> const& files) {
    if (files.output.key_count() < significant_keys_min) {
        return std::nullopt;
    }
    KeyType const type = files.input.key_type();
    auto const orders = other_orders<Word>(type, files.symptoms.direction);
    std::vector<ImageRule<Word>> rules;
    rules.reserve(orders.size());
    for (OtherOrder const& order : orders) {
        rules.push_back(
            image_rule<Word>(order.type, order.direction, order.zero_order, order.nan_order));
    }
    struct State {
        std::vector<char> falls; // [orders]
        std::vector<Word> words;
    };
    KEYSWAP_TRY(auto const states,
                visit_blocks<Word>(
                    files.output,
                    files.thread_count,
                    State{std::vector<char>(orders.size(), 0), {}},
                    [&](State& state, std::uint64_t, std::span<Word const> words) {
                        state.words.assign(words.begin(), words.end());
                        std::ranges::transform(words, state.words.begin(), [](Word word) {
                            return swapped_bytes(word);
                        });
                        for (std::size_t i = 0; i < orders.size(); ++i) {
                            std::span<Word const> const read =
                                orders[i].swapped_bytes ? state.words : words;
                            if (state.falls[i] == 0 && steps_of_keys(read, rules[i]).falling > 0) {
                                state.falls[i] = 1;
                            }
                        }
                    }));
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (std::ranges::none_of(states, [i](State const& state) { return state.falls[i] != 0; })) {
            return CauseGuess{Cause::other_order,
                              sentence(orders[i], type, files.symptoms.direction)};
        }
    }
    return std::nullopt;
}

template <class Word>
CauseFinding find_sorted_chunks(CauseFiles<Word> const& files) {
    if (files.output.key_count() < significant_keys_min ||
        files.symptoms.sorted_runs > chunk_count_max) {
        return std::nullopt;
    }
    KEYSWAP_TRY(auto const runs, run_begins(files));
    if (auto at_borders = find_keys_at_borders(files, runs); !at_borders || *at_borders) {
        return at_borders;
    }
    auto const possible = possible_chunks(files, runs);
    for (SortedChunks const& chunks : possible) {
        KEYSWAP_TRY(auto const order, sorted_order(files, chunks));
        if (order) {
            return CauseGuess{Cause::exchanged_chunks, exchanged_sentence(chunks, *order)};
        }
    }
    for (SortedChunks const& chunks : possible) {
        if (chunks.begins.size() == runs.size() + 1) {
            return CauseGuess{Cause::unmerged_chunks,
                              "each of the chunks of " + std::to_string(chunks.begins.size()) +
                                  ' ' + chunks.noun +
                                  "s is sorted, as if they had not been "
                                  "merged, or no key had changed chunks"};
        }
    }
    return find_unmerged_runs(files, runs);
}

KEYSWAP_INSTANTIATE_CAUSE_TEST(find_other_order);
KEYSWAP_INSTANTIATE_CAUSE_TEST(find_sorted_chunks);

} // namespace keyswap::model
