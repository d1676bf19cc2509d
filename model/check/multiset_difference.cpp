#include "model/check/multiset_difference.hpp"

#include "model/key_files/key_blocks.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace keyswap::model {

namespace {

constexpr int bits_per_round = 12;             ///< 4,096 cells of 32 B per range: 128 KiB
constexpr std::size_t ranges_per_class = 16;   ///< for each class of difference, at either end
constexpr std::size_t values_kept_max = 4'096; ///< far more than are printed

/// Number of keys of both files in one range of images, and the difference of their hashes.
struct Cell {
    std::uint64_t in_input = 0;
    std::uint64_t in_output = 0;
    std::uint64_t hash_difference = 0; ///< input minus output
    std::uint64_t wide_difference = 0; ///< same for the second hash of wide keys

    [[nodiscard]] bool differs() const {
        return hash_difference != 0 || wide_difference != 0 || in_input != in_output;
    }
    Cell& operator+=(Cell const& other) {
        in_input += other.in_input;
        in_output += other.in_output;
        hash_difference += other.hash_difference;
        wide_difference += other.wide_difference;
        return *this;
    }
};

/// The ranges that a round refines, ascending, by their leading bits, and the number of new bits.
template <class Word>
struct Round {
    std::vector<Word> prefixes;
    int shift = 0; ///< bits of an image below a cell's prefix
    int bits = 0;  ///< bits that select a cell within a range
    [[nodiscard]] std::size_t cells_per_range() const { return std::size_t{1} << bits; }
};

template <class Word, class Count>
Expected<std::vector<Cell>> count_cells(StoredKeys const& keys,
                                        ComparedFiles<Word> const& files,
                                        Round<SearchWord<Word>> const& round,
                                        Count count) {
    return sum_blocks<Word>(
        keys,
        files.thread_count,
        std::vector<Cell>(round.prefixes.size() * round.cells_per_range()),
        [&](std::vector<Cell>& cells, std::span<Word const> words) {
            for (Word const word : words) {
                SearchWord<Word> const image = image_by(files.rule, word);
                SearchWord<Word> const cell = image >> round.shift;
                SearchWord<Word> const prefix = cell >> round.bits;
                auto const range = std::ranges::lower_bound(round.prefixes, prefix);
                if (range != round.prefixes.end() && *range == prefix) {
                    auto const index = static_cast<std::size_t>(range - round.prefixes.begin());
                    count(cells[index * round.cells_per_range() +
                                static_cast<std::size_t>(cell & (round.cells_per_range() - 1))],
                          fingerprint_of_image(image, files.seed));
                }
            }
        });
}

/// Chooses the ranges to refine: the lowest and highest that lost keys, gained keys or changed.
/// \returns indices, ascending
template <class Word>
std::vector<std::size_t> choose(std::vector<std::pair<Word, Cell>> const& differing) {
    std::array<std::vector<std::size_t>, 3> classes;
    for (std::size_t i = 0; i < differing.size(); ++i) {
        Cell const& cell = differing[i].second;
        classes[cell.in_input > cell.in_output   ? 0
                : cell.in_input < cell.in_output ? 1
                                                 : 2]
            .push_back(i);
    }
    std::vector<std::size_t> chosen;
    for (auto const& members : classes) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (i < ranges_per_class || i + ranges_per_class >= members.size()) {
                chosen.push_back(members[i]);
            }
        }
    }
    std::ranges::sort(chosen);
    return chosen;
}

void add_keys(MultisetDifference& difference, Cell const& cell) {
    if (cell.in_input > cell.in_output) {
        difference.lost.key_count += cell.in_input - cell.in_output;
    } else {
        difference.gained.key_count += cell.in_output - cell.in_input;
    }
}

void add_value(MultisetDifference& difference, uint128 image, Cell const& cell) {
    ValueCounts const value{image, cell.in_input, cell.in_output};
    bool const is_lost = cell.in_input > cell.in_output;
    DifferenceSide& side = is_lost ? difference.lost : difference.gained;
    if (!side.lowest) {
        side.lowest = value;
    }
    side.highest = value;
    if (difference.values.size() < values_kept_max) {
        difference.values.push_back(value);
    } else {
        difference.complete = false;
    }
}

/// Numbers of keys below and strictly between the ends of a side.
struct Between {
    std::uint64_t below = 0;
    std::uint64_t between = 0;

    Between& operator+=(Between const& other) {
        below += other.below;
        between += other.between;
        return *this;
    }
};

/// [lost, gained]
template <class Word>
Expected<std::array<Between, 2>> count_between(StoredKeys const& keys,
                                               ComparedFiles<Word> const& files,
                                               MultisetDifference const& difference) {
    auto const image_of = [](std::optional<ValueCounts> const& value) {
        return value ? static_cast<Word>(value->image) : Word{0};
    };
    std::array<std::pair<Word, Word>, 2> ends;
    std::ranges::transform(std::array{&difference.lost, &difference.gained},
                           ends.begin(),
                           [&](DifferenceSide const* side) {
                               return std::pair{image_of(side->lowest), image_of(side->highest)};
                           });
    return sum_blocks<Word>(keys,
                            files.thread_count,
                            std::array<Between, 2>{},
                            [&](std::array<Between, 2>& counts, std::span<Word const> words) {
                                for (Word const word : words) {
                                    Word const image = image_by(files.rule, word);
                                    for (std::size_t side = 0; side < 2; ++side) {
                                        auto const [low, high] = ends[side];
                                        counts[side].below += image < low ? 1 : 0;
                                        counts[side].between += image > low && image < high ? 1 : 0;
                                    }
                                }
                            });
}

/// Runs one round over both files. \return the cells that differ, with their prefixes
template <class Word>
Expected<std::vector<std::pair<SearchWord<Word>, Cell>>>
differing_cells(ComparedFiles<Word> const& files, Round<SearchWord<Word>> const& round) {
    KEYSWAP_TRY(auto cells,
                count_cells(files.input, files, round, [](Cell& cell, Fingerprint const& key) {
                    ++cell.in_input;
                    cell.hash_difference += key.hash;
                    cell.wide_difference += key.wide_hash;
                }));
    KEYSWAP_TRY(auto const others,
                count_cells(files.output, files, round, [](Cell& cell, Fingerprint const& key) {
                    ++cell.in_output;
                    cell.hash_difference -= key.hash;
                    cell.wide_difference -= key.wide_hash;
                }));
    std::vector<std::pair<SearchWord<Word>, Cell>> differing;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        Cell cell = cells[i];
        cell += others[i];
        if (cell.differs()) {
            SearchWord<Word> const prefix = round.prefixes[i / round.cells_per_range()];
            std::uint64_t const low = i % round.cells_per_range();
            differing.emplace_back(prefix << round.bits | low, cell);
        }
    }
    return differing;
}

} // namespace

template <class Word>
Expected<MultisetDifference> multiset_difference(ComparedFiles<Word> const& files) {
    MultisetDifference difference;
    Round<SearchWord<Word>> round{{0}, 8 * static_cast<int>(sizeof(Word)), 0};
    while (round.shift > 0) {
        round.bits = std::min(bits_per_round, round.shift);
        round.shift -= round.bits;
        KEYSWAP_TRY(auto const differing, differing_cells(files, round));
        if (round.shift == 0) {
            for (auto const& [image, cell] : differing) {
                add_keys(difference, cell);
                add_value(difference, image, cell);
            }
            break;
        }
        auto const chosen = choose(differing);
        difference.complete = difference.complete && chosen.size() == differing.size();
        round.prefixes.clear();
        for (std::size_t i = 0, next = 0; i < differing.size(); ++i) {
            if (next < chosen.size() && chosen[next] == i) {
                round.prefixes.push_back(differing[i].first);
                ++next;
            } else {
                add_keys(difference, differing[i].second);
            }
        }
    }
    KEYSWAP_TRY(auto const in_input, count_between(files.input, files, difference));
    KEYSWAP_TRY(auto const in_output, count_between(files.output, files, difference));
    for (auto const& [side, i] : {std::pair{&difference.lost, 0U}, {&difference.gained, 1U}}) {
        side->input_below = in_input[i].below;
        side->input_between = in_input[i].between;
        side->output_between = in_output[i].between;
    }
    return difference;
}

template Expected<MultisetDifference> multiset_difference(ComparedFiles<std::uint32_t> const&);
template Expected<MultisetDifference> multiset_difference(ComparedFiles<std::uint64_t> const&);
template Expected<MultisetDifference> multiset_difference(ComparedFiles<uint128> const&);

} // namespace keyswap::model
