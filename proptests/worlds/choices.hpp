#pragma once

/// \file Exhaustive tests by enumeration of choices (TigerBeetle's "exhaustigen").
///
/// A property test draws its input at random. If the inputs are few, a test can visit all of them,
/// written in the same way: it asks for choices and is run until all are exhausted.
///
///     Choices choices;
///     while (choices.next()) {
///         std::vector<int> keys(choices.below(3)); // no key, one, two
///         for (int& key : keys) {
///             key = choices.of({10, 20});
///         }
///         my_sort(keys);
///         EXPECT_TRUE(std::ranges::is_sorted(keys));
///     }
///     EXPECT_EQ(choices.worlds(), 1 + 2 + 4);
///
/// Later choices may depend on earlier ones, as here the number of keys does, but on nothing else:
/// equal answers must lead to equal questions. Only the answers of the current world are stored;
/// the next world increments the last answer that has a successor, like an odometer. A test skips a
/// redundant world with `continue`.

#include "traces/errors/contracts.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace keyswap::proptests {

class Choices {
  public:
    /// Advances to the next world. \returns false after the last one
    [[nodiscard]] bool next() {
        if (worlds_ > 0) {
            answers_.resize(asked_);
            while (!answers_.empty() && answers_.back().value + 1 == answers_.back().count) {
                answers_.pop_back();
            }
            if (answers_.empty()) {
                return false;
            }
            ++answers_.back().value;
        }
        asked_ = 0;
        ++worlds_;
        return true;
    }

    /// Chooses one of 0, ..., count - 1. \pre count > 0; next() has returned true
    [[nodiscard]] std::size_t below(std::size_t count) {
        KEYSWAP_EXPECTS(count > 0 && worlds_ > 0);
        if (asked_ == answers_.size()) {
            answers_.push_back({0, count});
        }
        Answer const& answer = answers_[asked_++];
        KEYSWAP_EXPECTS(answer.count == count); // else the test is not deterministic
        return answer.value;
    }

    /// Chooses one of the options. \pre options is not empty
    template <class Options>
    [[nodiscard]] auto of(Options const& options) {
        return *std::next(std::begin(options),
                          static_cast<std::ptrdiff_t>(below(std::size(options))));
    }
    template <class T>
    [[nodiscard]] T of(std::initializer_list<T> options) {
        return *std::next(options.begin(), static_cast<std::ptrdiff_t>(below(options.size())));
    }

    /// Number of worlds visited so far.
    [[nodiscard]] std::uint64_t worlds() const { return worlds_; }

  private:
    struct Answer {
        std::size_t value;
        std::size_t count; ///< number of possible values
    };
    std::vector<Answer> answers_;
    std::size_t asked_ = 0; ///< choices made so far in this world
    std::uint64_t worlds_ = 0;
};

} // namespace keyswap::proptests
