#pragma once

#include "model/distributions/counter_generator.hpp"
#include "model/distributions/distribution.hpp"
#include "model/distributions/key_recipe.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

/// Random bits per key from the counter-based generator: 32 if a 32-bit key is an even draw from
/// 2^b images without a window, else 64.
enum class DrawWidth { bits32, bits64 };

/// Generates any key of a request from its index alone, as an image in ascending order. Immutable,
/// hence safe to share between threads.
class KeyGenerator {
  public:
    /// Returns an error for an unknown distribution or a parameter out of range.
    [[nodiscard]] static Expected<KeyGenerator> make(KeyRequest const& request);

    /// The request with its parameter filled in (absent if the distribution has none).
    [[nodiscard]] KeyRequest const& request() const { return request_; }
    [[nodiscard]] std::uint64_t key_count() const { return request_.key_count; }
    [[nodiscard]] KeyRecipe const& recipe() const { return recipe_; }

    /// True if `version` of the generator made the same keys: version 1 differs if keys depend on
    /// their rank and n is a power of two.
    [[nodiscard]] bool agrees_with_version(int version) const;

    /// Image of key `index`. \pre index < key_count()
    [[nodiscard]] uint128 image(std::uint64_t index) const;
    /// Images of the keys begin, begin + 1, ...
    /// \pre begin + images.size() <= key_count(); the key type has at most 64 bits
    void images(std::uint64_t begin, std::span<std::uint64_t> images) const;
    /// \pre as above; the key type has 32 bits
    void images(std::uint64_t begin, std::span<std::uint32_t> images) const;
    /// \pre begin + images.size() <= key_count()
    void images(std::uint64_t begin, std::span<uint128> images) const;

    /// Number of fractions of 2^64 whose image is below `image`: the distribution function of an
    /// independent draw. A random lower half spreads the fractions of each upper half evenly.
    [[nodiscard]] uint128 fractions_below(uint128 image) const;
    /// Widens an image of the recipe to the key's width; the lower half of a 128-bit key becomes 0.
    [[nodiscard]] uint128 widened(std::uint64_t image) const {
        return is_wide_ ? uint128{image} << 64 : image;
    }

    /// floor(i 2^64 / n) to the precision of a 128-bit step: the fraction of rank i in sorted
    /// order.
    [[nodiscard]] std::uint64_t fraction_of_rank(std::uint64_t rank) const {
        return multiply_wide(rank, rank_step_);
    }
    /// The first rank whose fraction is at least `fraction`; n if no rank has one.
    [[nodiscard]] std::uint64_t first_rank_from(uint128 fraction) const;

    /// Index of the segment that contains key `index`.
    [[nodiscard]] std::size_t segment_at(std::uint64_t index) const;
    /// End (exclusive) of a segment, as a key index.
    [[nodiscard]] std::uint64_t segment_end(std::size_t segment) const;

  private:
    KeyGenerator(KeyRequest request, KeyRecipe recipe, LowWord low_word);

    template <class Image>
    void fill(std::uint64_t begin, std::span<Image> images) const;
    template <class Image>
    void fill_part(Segment const& segment, std::uint64_t begin, std::span<Image> images) const;

    KeyRequest request_;
    KeyRecipe recipe_;
    DrawWidth draw_width_;
    CounterGenerator fractions_;
    CounterGenerator choices_;   ///< selects the random keys of a nearly sorted input
    CounterGenerator low_words_; ///< lower halves of 128-bit keys
    uint128 rank_step_;          ///< floor(2^128 / n)
    bool is_wide_;               ///< keys have 128 bits
    LowWord low_word_;
};

/// Images of the keys at the given positions, in the sort's order.
[[nodiscard]] std::vector<uint128> generated_images(KeyGenerator const& generator,
                                                    Direction direction,
                                                    std::span<std::uint64_t const> positions);

} // namespace keyswap::model
