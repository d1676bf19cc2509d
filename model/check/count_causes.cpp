#include "model/check/cause_tests.hpp"
#include "model/check/shown_key.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace keyswap::model {

namespace {

template <class Word>
std::string text_of(CauseFiles<Word> const& files, ValueCounts const& value) {
    return shown_key(files.input.key_type(), key_by(files.rule, static_cast<Word>(value.image)));
}

/// Tests whether one value lost a multiple of 2^32 or 2^16 keys, as if a counter had wrapped.
template <class Word>
std::optional<CauseGuess> find_wrapped_counter(CauseFiles<Word> const& files) {
    DifferenceSide const& lost = files.symptoms.difference.lost;
    if (!lost.lowest || lost.lowest->image != lost.highest->image) {
        return std::nullopt;
    }
    std::uint64_t const missing = lost.lowest->in_input - lost.lowest->in_output;
    for (int const bits : {32, 16}) {
        if (missing % (std::uint64_t{1} << bits) == 0) {
            return CauseGuess{Cause::wrapped_count,
                              "the output lacks " + grouped_count(missing) + " keys of value " +
                                  text_of(files, *lost.lowest) +
                                  ", as if their number had been stored in " +
                                  std::to_string(bits) + " bits"};
        }
    }
    return std::nullopt;
}

/// True if the values on this side are sparse in the input's range, so that an invented value would
/// hardly equal one of the input's.
bool are_sparse(DifferenceSide const& side) {
    constexpr std::uint64_t values_per_key = 16;
    return (side.highest->image - side.lowest->image) / values_per_key > side.input_between;
}

/// Values that occur in the input and occur more often in the output.
template <class Word>
std::optional<CauseGuess> find_doubled_keys(CauseFiles<Word> const& files) {
    MultisetDifference const& difference = files.symptoms.difference;
    DifferenceSide const& gained = difference.gained;
    if (!gained.lowest || gained.key_count < significant_keys_min) {
        return std::nullopt;
    }
    if (gained.lowest->image == gained.highest->image) {
        if (gained.lowest->in_input < significant_keys_min ||
            gained.lowest->in_output != 2 * gained.lowest->in_input) {
            return std::nullopt;
        }
        return CauseGuess{Cause::doubled_keys,
                          "the output has exactly twice the keys of value " +
                              text_of(files, *gained.lowest) +
                              ", as if they had been written twice and had overwritten others"};
    }
    // If too many values differ, those at both ends represent the others.
    std::uint64_t gained_values = 0;
    bool all_known = true;
    for (ValueCounts const& value : difference.values) {
        gained_values += value.in_output > value.in_input ? 1 : 0;
        all_known = all_known && value.in_input > 0;
    }
    if (!all_known || gained_values < significant_keys_min || !are_sparse(gained)) {
        return std::nullopt;
    }
    return CauseGuess{Cause::doubled_keys,
                      "the surplus keys are keys of the input, as if some had overwritten others"};
}

/// Fingerprint of a range of the input's keys.
template <class Word>
Expected<Fingerprint>
fingerprint_of_range(CauseFiles<Word> const& files, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t block = std::uint64_t{1} << 16;
    std::vector<Word> words(std::min(block, end - begin));
    Fingerprint sum;
    for (std::uint64_t first = begin; first < end; first += words.size()) {
        auto const part =
            std::span(words).first(std::min<std::uint64_t>(words.size(), end - first));
        KEYSWAP_RETURN_IF_ERROR(files.input.read(first, std::as_writable_bytes(part)));
        sum += fingerprint_of_keys(part, files.rule, files.seed);
    }
    return sum;
}

} // namespace

template <class Word>
CauseFinding find_miscounted_values(CauseFiles<Word> const& files) {
    auto carry = find_wrapped_counter(files);
    return carry ? carry : find_doubled_keys(files);
}

template <class Word>
CauseFinding find_missing_keys(CauseFiles<Word> const& files) {
    std::uint64_t const in = files.symptoms.input.count;
    std::uint64_t const out = files.symptoms.output.count;
    bool const missing = out < in;
    std::uint64_t const count = missing ? in - out : out - in;
    if (out < significant_keys_min || count >= in) {
        return std::nullopt;
    }
    // Only one of the two ends explains the output, unless their keys are equal.
    std::array<bool, 2> explains{};
    for (bool const at_end : {false, true}) {
        KEYSWAP_TRY(auto const end,
                    at_end ? fingerprint_of_range(files, in - count, in)
                           : fingerprint_of_range(files, 0, count));
        Fingerprint sum = end;
        sum += missing ? files.symptoms.output : files.symptoms.input;
        explains[at_end ? 1 : 0] = sum == (missing ? files.symptoms.input : files.symptoms.output);
    }
    if (explains[0] == explains[1]) {
        return std::nullopt;
    }
    return CauseGuess{Cause::missing_keys,
                      "the " + std::string(explains[1] ? "last " : "first ") +
                          (count == 1 ? "key" : grouped_count(count) + " keys") + " of the input " +
                          (count == 1 ? "is " : "are ") + (missing ? "missing" : "duplicated")};
}

KEYSWAP_INSTANTIATE_CAUSE_TEST(find_miscounted_values);
KEYSWAP_INSTANTIATE_CAUSE_TEST(find_missing_keys);

} // namespace keyswap::model
