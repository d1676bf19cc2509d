#include "model/check/cause_tests.hpp"
#include "model/check/shown_key.hpp"
#include "model/key_files/key_blocks.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <vector>

namespace keyswap::model {

namespace {

template <class Word>
constexpr int word_bits = 8 * static_cast<int>(sizeof(Word));

template <class Word>
using BitCounts = std::array<std::uint64_t, std::size_t{word_bits<Word>}>;

/// Number of keys with each bit set.
template <class Word>
Expected<BitCounts<Word>> count_bits(StoredKeys const& keys, unsigned thread_count) {
    return sum_blocks<Word>(keys,
                            thread_count,
                            BitCounts<Word>{},
                            [](BitCounts<Word>& counts, std::span<Word const> words) {
                                for (int bit = 0; bit < word_bits<Word>; ++bit) {
                                    Word sum = 0; // cannot overflow: a block is below 2^32 keys
                                    for (Word const word : words) {
                                        sum += (word >> bit) & 1;
                                    }
                                    counts[static_cast<std::size_t>(bit)] +=
                                        static_cast<std::uint64_t>(sum);
                                }
                            });
}

/// A change of bits that applies to every key.
template <class Word>
struct BitChange {
    Word flipped = 0;
    Word cleared = 0;
    Word set = 0;

    [[nodiscard]] bool any() const { return (flipped | cleared | set) != 0; }
    [[nodiscard]] Word operator()(Word key) const {
        return static_cast<Word>(((key ^ flipped) & ~cleared) | set);
    }
};

/// The change that explains the counts of all bits; nullopt if there is none.
template <class Word>
std::optional<BitChange<Word>>
bit_change(BitCounts<Word> const& input, BitCounts<Word> const& output, std::uint64_t key_count) {
    BitChange<Word> change;
    for (int bit = 0; bit < word_bits<Word>; ++bit) {
        std::uint64_t const before = input[static_cast<std::size_t>(bit)];
        std::uint64_t const after = output[static_cast<std::size_t>(bit)];
        Word const mask = static_cast<Word>(Word{1} << bit);
        if (after == before) {
            continue;
        }
        if (after == 0) {
            change.cleared |= mask;
        } else if (after == key_count) {
            change.set |= mask;
        } else if (after == key_count - before) {
            change.flipped |= mask;
        } else {
            return std::nullopt;
        }
    }
    return change.any() ? std::optional(change) : std::nullopt;
}

/// A conversion that may have been applied to every key.
template <class Word>
struct Conversion {
    std::function<Word(Word)> apply;
    std::string sentence;
};

template <class Word>
std::vector<Conversion<Word>> conversions(KeyType type) {
    std::vector<Conversion<Word>> result{{[](Word key) { return swapped_bytes(key); },
                                          "the bytes of every key are in reverse order"}};
    if constexpr (sizeof(Word) == 8) {
        if (is_floating(type)) {
            result.push_back({[](Word key) {
                                  double const value = std::bit_cast<double>(key);
                                  return std::bit_cast<Word>(double{static_cast<float>(value)});
                              },
                              "every key was rounded to 32 bits (f32) and back"});
        } else {
            result.push_back({[](Word key) {
                                  auto const half = static_cast<std::int32_t>(key);
                                  return static_cast<Word>(std::int64_t{half});
                              },
                              "every key was truncated to 32 bits and sign-extended"});
        }
    }
    if constexpr (sizeof(Word) > 4) {
        constexpr int half = word_bits<Word> / 2;
        result.push_back({[](Word key) { return (key << half) | (key >> half); },
                          "the two halves of every key are exchanged"});
    }
    if (!is_floating(type)) {
        result.push_back(
            {[](Word key) { return static_cast<Word>(Word{0} - key); }, "every key is negated"});
    }
    return result;
}

template <class Word>
std::vector<std::function<Word(Word)>>
functions_of(std::vector<Conversion<Word>> const& conversions) {
    std::vector<std::function<Word(Word)>> functions;
    std::ranges::transform(conversions, std::back_inserter(functions), &Conversion<Word>::apply);
    return functions;
}

/// Fingerprints of the input after applying each function to every key.
template <class Word, class Functions>
Expected<std::vector<Fingerprint>> fingerprints_after(CauseFiles<Word> const& files,
                                                      Functions const& functions) {
    return sum_blocks<Word>(files.input,
                            files.thread_count,
                            std::vector<Fingerprint>(functions.size()),
                            [&](std::vector<Fingerprint>& sums, std::span<Word const> words) {
                                std::vector<Word> changed(words.size());
                                for (std::size_t i = 0; i < functions.size(); ++i) {
                                    std::ranges::transform(words, changed.begin(), functions[i]);
                                    sums[i] += fingerprint_of_keys(changed, files.rule, files.seed);
                                }
                            });
}

/// Conversions that map all floats of a class to one value.
template <class Word>
std::vector<Conversion<Word>> float_conversions(KeyType type, std::optional<Word> nan) {
    constexpr Word sign = static_cast<Word>(Word{1} << (word_bits<Word> - 1));
    constexpr int fraction_bits = sizeof(Word) == 4 ? 23 : 52;
    constexpr Word fraction = static_cast<Word>((Word{1} << fraction_bits) - 1);
    constexpr Word infinity = static_cast<Word>(~sign & ~fraction);
    constexpr Word quiet = static_cast<Word>(Word{1} << (fraction_bits - 1));
    auto const is_nan = [](Word key) { return static_cast<Word>(key & ~sign) > infinity; };
    auto const if_nan = [is_nan](auto change) {
        return [is_nan, change](Word key) { return is_nan(key) ? change(key) : key; };
    };
    std::vector<Conversion<Word>> result;
    if (nan && is_nan(*nan)) {
        result.push_back(
            {if_nan([nan](Word) { return *nan; }),
             "every NaN became " + shown_key(type, *nan) +
                 ", as if NaNs had been canonicalised (NumPy's sort for AVX-512 does that)"});
    }
    result.push_back({if_nan([](Word key) { return static_cast<Word>(key | quiet); }),
                      "every signalling NaN became quiet, as if the keys had been computed with"});
    result.push_back({if_nan([](Word key) { return static_cast<Word>(key & ~sign); }),
                      "every NaN lost its sign"});
    result.push_back({if_nan([](Word) { return infinity; }), "every NaN became infinite"});
    result.push_back(
        {[](Word key) { return key == sign ? Word{0} : key; }, "every -0.0 became +0.0"});
    result.push_back({[](Word key) {
                          Word const magnitude = static_cast<Word>(key & ~sign);
                          return magnitude <= fraction ? static_cast<Word>(key & sign) : key;
                      },
                      "every subnormal number became a zero, as if they had been flushed"});
    result.push_back({[](Word key) { return key == infinity ? static_cast<Word>(key - 1) : key; },
                      "every infinite key became the largest number, as padding may cause"});
    return result;
}

/// "bit 5", "bits 32 to 63" or "bits 0, 3 and 7".
template <class Word>
std::string bits_text(Word mask) {
    std::vector<int> bits;
    for (int bit = 0; bit < word_bits<Word>; ++bit) {
        if ((mask >> bit & 1) != 0) {
            bits.push_back(bit);
        }
    }
    if (bits.size() == 1) {
        return "bit " + std::to_string(bits.front());
    }
    if (bits.back() - bits.front() + 1 == static_cast<int>(bits.size())) {
        return "bits " + std::to_string(bits.front()) + " to " + std::to_string(bits.back());
    }
    std::string text = "bits ";
    for (std::size_t i = 0; i < bits.size(); ++i) {
        text += std::to_string(bits[i]) + (i + 2 < bits.size()    ? ", "
                                           : i + 2 == bits.size() ? " and "
                                                                  : "");
    }
    return text;
}

template <class Word>
std::string change_sentence(BitChange<Word> const& change, BitCounts<Word> const& input) {
    // Bits that no key had count as cleared.
    auto const is_gone = [&](int bit) {
        return (change.cleared >> bit & 1) != 0 || input[static_cast<std::size_t>(bit)] == 0;
    };
    for (int kept = word_bits<Word> / 2; kept >= 8; kept /= 2) {
        Word const low = static_cast<Word>((Word{1} << kept) - 1);
        bool cut = ((change.cleared & low) | change.flipped | change.set) == 0;
        for (int bit = kept; bit < word_bits<Word>; ++bit) {
            cut = cut && is_gone(bit);
        }
        if (cut) {
            return "every key was truncated to its low " + std::to_string(kept) + " bits";
        }
    }
    std::string text;
    auto const add = [&text](Word mask, std::string const& what) {
        if (mask != 0) {
            text += (text.empty() ? "" : ", ") + bits_text(mask) + what;
        }
    };
    add(change.flipped, " flipped");
    add(change.cleared, " cleared");
    add(change.set, " set");
    return "every key has " + text;
}

} // namespace

template <class Word>
CauseFinding find_changed_keys(CauseFiles<Word> const& files) {
    if (files.input.key_count() < significant_keys_min) {
        return std::nullopt;
    }
    KEYSWAP_TRY(auto const input_bits, count_bits<Word>(files.input, files.thread_count));
    KEYSWAP_TRY(auto const output_bits, count_bits<Word>(files.output, files.thread_count));
    auto const change = bit_change<Word>(input_bits, output_bits, files.input.key_count());
    auto const converted = conversions<Word>(files.input.key_type());
    auto functions = functions_of(converted);
    if (change) {
        functions.push_back(*change);
    }
    KEYSWAP_TRY(auto const fingerprints, fingerprints_after(files, functions));
    if (change && fingerprints.back() == files.symptoms.output) {
        return CauseGuess{Cause::changed_bits, change_sentence(*change, input_bits)};
    }
    for (std::size_t i = 0; i < converted.size(); ++i) {
        if (fingerprints[i] == files.symptoms.output) {
            return CauseGuess{Cause::converted_keys, converted[i].sentence};
        }
    }
    return std::nullopt;
}

template <class Word>
CauseFinding find_collapsed_floats(CauseFiles<Word> const& files) {
    KeyType const type = files.input.key_type();
    if (!is_floating(type)) {
        return std::nullopt;
    }
    DifferenceSide const& gained = files.symptoms.difference.gained;
    std::optional<Word> const one =
        gained.lowest && gained.lowest->image == gained.highest->image
            ? std::optional(key_by(files.rule, static_cast<Word>(gained.lowest->image)))
            : std::nullopt;
    if constexpr (sizeof(Word) <= sizeof(std::uint64_t)) {
        auto const conversions = float_conversions<Word>(type, one);
        KEYSWAP_TRY(auto const fingerprints, fingerprints_after(files, functions_of(conversions)));
        auto const found = std::ranges::find(fingerprints, files.symptoms.output);
        if (found != fingerprints.end()) {
            auto const index = static_cast<std::size_t>(found - fingerprints.begin());
            return CauseGuess{Cause::converted_keys, conversions[index].sentence};
        }
    }
    return std::nullopt;
}

template <class Word>
CauseFinding find_other_width(CauseFiles<Word> const& files) {
    std::uint64_t const inputs = files.input.key_count();
    std::uint64_t const outputs = files.output.key_count();
    if (inputs < significant_keys_min || sizeof(Word) > sizeof(std::uint64_t)) {
        return std::nullopt; // no wider or narrower type than 128 bits is considered
    }
    if constexpr (sizeof(Word) == 4) {
        if (outputs != 2 * inputs) {
            return std::nullopt;
        }
        // The low halves of keys of twice the width, in little-endian order.
        KEYSWAP_TRY(auto const halves,
                    sum_blocks<Word>(files.output,
                                     files.thread_count,
                                     Fingerprint{},
                                     [&](Fingerprint& sum, std::span<Word const> words) {
                                         static_assert(block_keys % 2 == 0);
                                         for (std::size_t i = 0; i < words.size(); i += 2) {
                                             sum += fingerprint_of_keys(
                                                 words.subspan(i, 1), files.rule, files.seed);
                                         }
                                     }));
        if (halves == files.symptoms.input) {
            return CauseGuess{Cause::other_width,
                              "the output holds keys of 64 bits, whose low halves are the input"};
        }
    } else if (inputs == 2 * outputs) {
        KEYSWAP_TRY(
            auto const halves,
            sum_blocks<Word>(files.output,
                             files.thread_count,
                             Fingerprint{},
                             [&](Fingerprint& sum, std::span<Word const> words) {
                                 for (Word const word : words) {
                                     std::array<Word, 2> const keys{word & 0xffffffffU, word >> 32};
                                     sum += fingerprint_of_keys(keys, files.rule, files.seed);
                                 }
                             }));
        std::array const cut{std::function<Word(Word)>{[](Word key) { return key & 0xffffffffU; }}};
        KEYSWAP_TRY(auto const expected, fingerprints_after(files, cut));
        if (halves == expected.front()) {
            return CauseGuess{Cause::other_width,
                              "the output holds keys of 32 bits: the low halves of the input's"};
        }
    }
    return std::nullopt;
}

KEYSWAP_INSTANTIATE_CAUSE_TEST(find_changed_keys);
KEYSWAP_INSTANTIATE_CAUSE_TEST(find_collapsed_floats);
KEYSWAP_INSTANTIATE_CAUSE_TEST(find_other_width);

} // namespace keyswap::model
