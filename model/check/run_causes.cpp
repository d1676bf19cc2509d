#include "model/check/cause_tests.hpp"
#include "model/check/shown_key.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace keyswap::model {

namespace {

/// Shorter runs occur by chance.
constexpr std::uint64_t run_keys_min = 8;

/// Two adjacent sorted runs of the output: [begin, border) and [border, end).
struct Border {
    std::uint64_t begin = 0;
    std::uint64_t border = 0;
    std::uint64_t end = 0;

    [[nodiscard]] std::uint64_t shorter() const { return std::min(border - begin, end - border); }
};

std::vector<Border> borders_of(std::vector<std::uint64_t> const& runs, std::uint64_t key_count) {
    std::vector<Border> borders;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        borders.push_back(
            {i == 0 ? 0 : runs[i - 1], runs[i], i + 1 < runs.size() ? runs[i + 1] : key_count});
    }
    return borders;
}

/// Reads individual keys of the output, converted for comparison.
template <class Word>
class OutputOrder {
  public:
    explicit OutputOrder(CauseFiles<Word> const& files) : files_(files) {}

    [[nodiscard]] Word key(std::uint64_t index) {
        auto const word = files_.output.template key<Word>(index);
        if (!word) {
            error_ = word.error();
        }
        return word.value_or(0);
    }
    [[nodiscard]] Word at(std::uint64_t index) { return order_by(files_.rule, key(index)); }

    /// Index of the first key in a sorted range that is >= `bound` (> `bound` if `after_equal`).
    [[nodiscard]] std::uint64_t
    place(std::uint64_t begin, std::uint64_t end, Word bound, bool after_equal) {
        while (begin < end) {
            std::uint64_t const middle = begin + (end - begin) / 2;
            Word const key = at(middle);
            if (key < bound || (after_equal && key == bound)) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        return begin;
    }
    [[nodiscard]] std::optional<InputError> const& error() const { return error_; }

  private:
    CauseFiles<Word> const& files_;
    std::optional<InputError> error_;
};

/// Tests whether only the first or the last key is out of order, and is where it was in the input.
template <class Word>
CauseFinding find_left_out_key(CauseFiles<Word> const& files,
                               std::vector<std::uint64_t> const& runs) {
    std::uint64_t const count = files.output.key_count();
    if (runs.size() != 1 || (runs.front() != 1 && runs.front() != count - 1)) {
        return std::nullopt;
    }
    bool const is_last = runs.front() == count - 1;
    std::uint64_t const index = is_last ? count - 1 : 0;
    KEYSWAP_TRY(auto const before, files.input.template key<Word>(index));
    KEYSWAP_TRY(auto const after, files.output.template key<Word>(index));
    if (before != after) {
        return std::nullopt;
    }
    return CauseGuess{Cause::unsorted_end_key,
                      "all keys are in order except the " +
                          std::string(is_last ? "last" : "first") +
                          ", which is still where the input had it, as if it had been left out"};
}

/// True if no key sorts between the equal keys that end at the border and `after`.
template <class Word>
bool is_next_below(OutputOrder<Word>& output, Border const& border, Word before, Word after) {
    std::uint64_t const first = output.place(border.begin, border.border, before, false);
    return first == border.begin || output.at(first - 1) <= after;
}
/// True if no key sorts between `before` and the equal keys that start at the border.
template <class Word>
bool is_next_above(OutputOrder<Word>& output, Border const& border, Word before, Word after) {
    std::uint64_t const end = output.place(border.border, border.end, after, true);
    return end == border.end || output.at(end) >= before;
}

/// Numbers of keys after the border that are below its last key before, and of keys before the
/// border that are above its first key after.
template <class Word>
std::pair<std::uint64_t, std::uint64_t> across(OutputOrder<Word>& output, Border const& border) {
    return {output.place(border.border, border.end, output.at(border.border - 1), false) -
                border.border,
            border.border -
                output.place(border.begin, border.border, output.at(border.border), true)};
}

/// Number of keys on the wrong side of a border, if those of one side are all equal. A single such
/// key needs equal keys on its own side and must belong directly next to them. 0: no such keys.
template <class Word>
std::uint64_t ties_across(OutputOrder<Word>& output, Border const& border, std::uint64_t& tie) {
    Word const before = output.at(border.border - 1);
    Word const after = output.at(border.border);
    auto const [below, above] = across(output, border);
    constexpr std::uint64_t few = 4; // at most a fraction 1 / few of a run is misplaced
    // The last keys before the border are equal and displace smaller ones.
    if (below > 0 && few * below <= border.shorter() &&
        output.at(border.border - below) == before &&
        (below > 1 ||
         ((output.at(border.border - 2) == before || output.at(border.border + 1) == before) &&
          is_next_below(output, border, before, after)))) {
        tie = border.border - 1;
        return below;
    }
    if (above > 0 && few * above <= border.shorter() &&
        output.at(border.border + above - 1) == after &&
        (above > 1 ||
         ((output.at(border.border + 1) == after || output.at(border.border - 2) == after) &&
          is_next_above(output, border, before, after)))) {
        tie = border.border;
        return above;
    }
    return 0;
}

/// Tests whether equal keys are on both sides of every border, displacing others.
template <class Word>
CauseFinding find_split_ties(CauseFiles<Word> const& files, std::vector<Border> const& borders) {
    OutputOrder output(files);
    std::uint64_t wrong = 0;
    std::uint64_t tie = 0;
    for (Border const& border : borders) {
        std::uint64_t const ties = ties_across(output, border, tie);
        if (ties == 0) {
            wrong = 0;
            break;
        }
        wrong += ties;
    }
    Word const key = wrong > 0 ? output.key(tie) : Word{0};
    if (output.error()) {
        return tl::unexpected(*output.error());
    }
    if (wrong == 0) {
        return std::nullopt;
    }
    std::string const places = borders.size() == 1
                                   ? "index " + std::to_string(borders.front().border)
                                   : grouped_count(borders.size()) + " places";
    return CauseGuess{Cause::split_ties,
                      "around " + places + " keys of value " +
                          shown_key(files.input.key_type(), key) +
                          (borders.size() == 1 ? "" : " and others") +
                          " are where other keys belong, as if keys equal to a splitter had been "
                          "counted on one side of it and written to the other"};
}

/// True if the keys of two runs would interleave when merged.
template <class Word>
bool interleave(OutputOrder<Word>& output, Border const& border) {
    constexpr std::uint64_t part = 4; // at least a quarter of each
    auto const [below, above] = across(output, border);
    return border.shorter() >= run_keys_min && part * below >= border.end - border.border &&
           part * above >= border.border - border.begin &&
           output.at(border.end - 1) > output.at(border.begin);
}

} // namespace

template <class Word>
CauseFinding find_keys_at_borders(CauseFiles<Word> const& files,
                                  std::vector<std::uint64_t> const& runs) {
    if (auto left_out = find_left_out_key(files, runs); !left_out || *left_out) {
        return left_out;
    }
    return find_split_ties(files, borders_of(runs, files.output.key_count()));
}

template <class Word>
CauseFinding find_unmerged_runs(CauseFiles<Word> const& files,
                                std::vector<std::uint64_t> const& runs) {
    OutputOrder output(files);
    auto const borders = borders_of(runs, files.output.key_count());
    bool unmerged = !borders.empty();
    for (std::size_t i = 0; unmerged && i < borders.size(); ++i) {
        unmerged = interleave(output, borders[i]);
    }
    if (output.error()) {
        return tl::unexpected(*output.error());
    }
    if (!unmerged) {
        return std::nullopt;
    }
    std::uint64_t const block = std::accumulate(
        runs.begin(), runs.end(), std::uint64_t{0}, std::gcd<std::uint64_t, std::uint64_t>);
    bool const is_blocked = runs.size() > 1 ? block >= run_keys_min : std::has_single_bit(block);
    return CauseGuess{
        Cause::unmerged_chunks,
        "the output is " + grouped_count(runs.size() + 1) + " sorted runs that were not merged" +
            (is_blocked         ? ", in blocks of " + grouped_count(block) + " keys"
             : runs.size() == 1 ? ", the second from index " + std::to_string(runs.front()) + " on"
                                : "")};
}

KEYSWAP_INSTANTIATE_CAUSE_TEST(find_keys_at_borders, std::vector<std::uint64_t> const&);
KEYSWAP_INSTANTIATE_CAUSE_TEST(find_unmerged_runs, std::vector<std::uint64_t> const&);

} // namespace keyswap::model
