#include "model/buckets/chunks.hpp"
#include "model/check/cause_tests.hpp"
#include "model/check/shown_key.hpp"
#include "model/key_files/key_blocks.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::model {

/// Tracks the longest range of consecutive indices.
struct LongestStretch {
    IndexRange longest{0, 0};

    /// \pre indices ascend
    void add(std::uint64_t index) {
        if (current_.end != index) {
            current_ = {index, index};
        }
        current_.end = index + 1;
        if (current_.size() > longest.size()) {
            longest = current_;
        }
    }

  private:
    IndexRange current_{0, 0};
};

namespace {

/// Calls visit(first, input, output) with blocks of both files at the same indices, in order.
template <class Word, class Visit>
Expected<void> visit_both(CauseFiles<Word> const& files, Visit visit) {
    std::vector<Word> input(block_keys);
    std::vector<Word> output(block_keys);
    std::uint64_t const count = files.input.key_count();
    for (std::uint64_t first = 0; first < count; first += block_keys) {
        std::uint64_t const size = std::min(block_keys, count - first);
        auto const input_part = std::span(input).first(size);
        auto const output_part = std::span(output).first(size);
        auto read = files.input.read(first, std::as_writable_bytes(input_part));
        if (read) {
            read = files.output.read(first, std::as_writable_bytes(output_part));
        }
        if (!read) {
            return read;
        }
        visit(first, std::span<Word const>(input_part), std::span<Word const>(output_part));
    }
    return {};
}

/// True if the output is out of order within the range.
template <class Word>
Expected<bool> falls_inside(CauseFiles<Word> const& files, IndexRange range) {
    std::vector<Word> keys(block_keys);
    for (std::uint64_t first = range.begin; first + 1 < range.end; first += block_keys - 1) {
        auto const part = std::span(keys).first(std::min(block_keys, range.end - first));
        KEYSWAP_RETURN_IF_ERROR(files.output.read(first, std::as_writable_bytes(part)));
        if (steps_of_keys(part, files.rule).falling > 0) {
            return true;
        }
    }
    return false;
}

/// True if a range was filled with one value: it is out of order, or far longer than the number of
/// such keys in the input, so that it must have replaced other keys.
template <class Word>
Expected<bool> was_filled(CauseFiles<Word> const& files, IndexRange stretch) {
    IndexRange const around{stretch.begin - (stretch.begin > 0 ? 1 : 0),
                            std::min(stretch.end + 1, files.output.key_count())};
    constexpr std::uint64_t far_more = 4;
    DifferenceSide const& gained = files.symptoms.difference.gained;
    return falls_inside(files, around).map([&](bool falls) {
        return falls || gained.key_count > far_more * gained.lowest->in_input;
    });
}

/// Tests whether only the first (count mod 2^bits) keys are sorted, as if a count were truncated.
template <class Word>
CauseFinding find_wrapped_count(CauseFiles<Word> const& files, IndexRange same) {
    std::uint64_t const count = files.output.key_count();
    constexpr std::uint64_t by_chance = 16; // keys that were in their final place before
    for (int const bits : {32, 16, 8}) {
        std::uint64_t const sorted = count & ((std::uint64_t{1} << bits) - 1);
        if (sorted == count || same.end != count || same.begin > sorted ||
            sorted - same.begin > by_chance) {
            continue;
        }
        KEYSWAP_TRY(auto const falls, falls_inside(files, {0, sorted}));
        if (!falls) {
            return CauseGuess{Cause::wrapped_count,
                              "the first " + std::to_string(sorted) +
                                  " keys are sorted, and the others are as in the input, as if the "
                                  "number of keys had been stored in " +
                                  std::to_string(bits) + " bits"};
        }
    }
    return std::nullopt;
}

std::string indices(IndexRange range) {
    return "from index " + std::to_string(range.begin) + " to " + std::to_string(range.end - 1);
}

} // namespace

template <class Word>
CauseFinding find_unwritten_stretch(CauseFiles<Word> const& files) {
    DifferenceSide const& gained = files.symptoms.difference.gained;
    bool const looks_for_filling = gained.lowest && gained.lowest->image == gained.highest->image &&
                                   gained.key_count >= significant_keys_min;
    Word const filling =
        key_by(files.rule, looks_for_filling ? static_cast<Word>(gained.lowest->image) : Word{0});
    LongestStretch same;
    LongestStretch filled;
    KEYSWAP_RETURN_IF_ERROR(visit_both(
        files, [&](std::uint64_t first, std::span<Word const> input, std::span<Word const> output) {
            for (std::size_t i = 0; i < input.size(); ++i) {
                if (input[i] == output[i]) {
                    same.add(first + i);
                }
                if (looks_for_filling && output[i] == filling) {
                    filled.add(first + i);
                }
            }
        }));
    bool const is_long = looks_for_filling && filled.longest.size() >= gained.key_count;
    KEYSWAP_TRY(auto const filled_over,
                is_long ? was_filled(files, filled.longest) : Expected<bool>(false));
    if (filled_over) {
        return CauseGuess{Cause::filled_block,
                          "all keys " + indices(filled.longest) + " are " +
                              shown_key(files.input.key_type(), filling) +
                              (filling == 0 ? ", as if a block had been zeroed, or never written"
                                            : ", as if a block had been filled with one value")};
    }
    if (same.longest.size() < significant_keys_min) {
        return std::nullopt;
    }
    KEYSWAP_TRY(auto const unsorted, falls_inside(files, same.longest));
    if (!unsorted) {
        return std::nullopt;
    }
    if (same.longest.size() == files.input.key_count()) {
        std::uint64_t const size = same.longest.size();
        bool const wraps = size >= (1U << 16) && size % (1U << 16) <= 1;
        return CauseGuess{
            Cause::untouched,
            "the output is the input, as if nothing had been sorted, " +
                std::string(wraps ? "the number of keys had been stored in 16 bits, " : "") +
                "or the result had not been copied back"};
    }
    if (auto wrapped = find_wrapped_count(files, same.longest); !wrapped || *wrapped) {
        return wrapped;
    }
    return CauseGuess{Cause::stale_block,
                      "keys " + indices(same.longest) +
                          " are as in the input, as if this block had never been written"};
}

KEYSWAP_INSTANTIATE_CAUSE_TEST(find_unwritten_stretch);

} // namespace keyswap::model
