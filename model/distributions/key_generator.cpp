#include "model/distributions/key_generator.hpp"

#include "model/keys/key_source.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <sstream>

namespace keyswap::model {

namespace {

constexpr std::uint32_t choice_stream = 1;
constexpr std::uint32_t low_word_stream = 2;
/// Random words per batch: 8 or 16 KiB of the L1 cache.
constexpr std::size_t batch_size = 2048;

/// The type of the upper 64 bits of a key; the type itself if it has at most 64 bits.
KeyType upper_half(KeyType type) {
    bool const is_signed = kind_of(type) == KeyKind::signed_integer;
    return key_bits(type) <= 64 ? type : is_signed ? KeyType::i64 : KeyType::u64;
}

DrawWidth draw_width_of(KeyType type, KeyRecipe const& recipe) {
    if (key_bits(type) != 32 || recipe.table.cells().size() != 1 || recipe.segments.size() != 1) {
        return DrawWidth::bits64;
    }
    QuantileCell const& cell = recipe.table.cells().front();
    Segment const& segment = recipe.segments.front();
    bool const even = std::has_single_bit(cell.image_last - cell.image_first + 1);
    return even && segment.draw == Draw::independent && segment.u_width == 0 ? DrawWidth::bits32
                                                                             : DrawWidth::bits64;
}

std::string text_of(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

/// The largest parameter for this key type.
double parameter_max(Distribution const& distribution, KeyType type) {
    bool const counts_bits = distribution.parameter.name == "bit entropy";
    return counts_bits ? key_bits(upper_half(type)) : distribution.parameter.max;
}

Expected<std::optional<double>> resolve_parameter(Distribution const& distribution,
                                                  KeyRequest const& request) {
    DistributionParameter const& parameter = distribution.parameter;
    std::string const name(distribution.name);
    if (parameter.name.empty()) {
        // Published tables list 0 for distributions without a parameter.
        if (request.parameter && *request.parameter != 0) {
            return tl::unexpected(
                InputError{"distribution " + name, "it has no parameter", "leave it out"});
        }
        return std::optional<double>{};
    }
    double const value = request.parameter.value_or(parameter.default_value);
    double const max = parameter_max(distribution, request.key_type);
    if (!(value >= parameter.min && value <= max)) {
        return tl::unexpected(
            InputError{"distribution " + name,
                       std::string(parameter.name) + " " + text_of(value) + " is out of range",
                       "it lies in " + text_of(parameter.min) + " .. " + text_of(max)});
    }
    if (parameter.whole && value != std::floor(value)) {
        return input_error("distribution " + name,
                           std::string(parameter.name) + " " + text_of(value) +
                               " is not a whole number",
                           "round it");
    }
    return std::optional<double>{value};
}

/// floor(2^128 / n), computed from 2^128 - 1 if n is not a power of two. A single
/// key has rank 0 whatever the step.
uint128 step_between_ranks(std::uint64_t key_count) {
    uint128 const largest = ~uint128{0};
    if (key_count < 2) {
        return largest;
    }
    return largest / key_count + (std::has_single_bit(key_count) ? 1 : 0);
}

} // namespace

Expected<KeyGenerator> KeyGenerator::make(KeyRequest const& request) {
    KEYSWAP_TRY(auto const distribution, find_distribution(request.distribution));
    if (request.key_count > key_count_max) {
        return input_error(
            "number of keys", std::to_string(request.key_count) + " is too large", "at most 2^63");
    }
    KeyRequest resolved = request;
    KEYSWAP_TRY(resolved.parameter, resolve_parameter(*distribution, request));
    KeyRequest upper = resolved;
    upper.key_type = upper_half(request.key_type);
    KeyRecipe recipe = distribution->recipe(upper);
    return KeyGenerator(std::move(resolved), std::move(recipe), distribution->low_word);
}

KeyGenerator::KeyGenerator(KeyRequest request, KeyRecipe recipe, LowWord low_word)
    : request_(std::move(request)), recipe_(std::move(recipe)),
      draw_width_(draw_width_of(request_.key_type, recipe_)), fractions_(request_.seed),
      choices_(request_.seed, choice_stream), low_words_(request_.seed, low_word_stream),
      rank_step_(step_between_ranks(request_.key_count)),
      is_wide_(key_bits(request_.key_type) > 64), low_word_(low_word) {
    KEYSWAP_ENSURES(!recipe_.segments.empty() && recipe_.segments.front().begin == 0);
}

bool KeyGenerator::agrees_with_version(int version) const {
    if (version == generator_version) {
        return true;
    }
    bool const by_rank = std::ranges::any_of(recipe_.segments, [](Segment const& segment) {
        return segment.draw == Draw::ascending || segment.draw == Draw::descending ||
               segment.draw == Draw::mostly_ascending;
    });
    return version == 1 && !(by_rank && std::has_single_bit(key_count()));
}

std::uint64_t KeyGenerator::first_rank_from(uint128 fraction) const {
    if (fraction >= two_to_64) {
        return key_count();
    }
    uint128 const numerator = fraction << 64;
    uint128 const rank = numerator / rank_step_ + (numerator % rank_step_ != 0 ? 1 : 0);
    return static_cast<std::uint64_t>(std::min<uint128>(rank, key_count()));
}

std::size_t KeyGenerator::segment_at(std::uint64_t index) const {
    auto const after = std::ranges::upper_bound(recipe_.segments, index, {}, &Segment::begin);
    return static_cast<std::size_t>(after - recipe_.segments.begin()) - 1;
}

std::uint64_t KeyGenerator::segment_end(std::size_t segment) const {
    return segment + 1 < recipe_.segments.size() ? recipe_.segments[segment + 1].begin
                                                 : key_count();
}

uint128 KeyGenerator::image(std::uint64_t index) const {
    uint128 result = 0;
    images(index, std::span(&result, 1));
    return result;
}

void KeyGenerator::images(std::uint64_t begin, std::span<std::uint64_t> images) const {
    KEYSWAP_EXPECTS(!is_wide_);
    fill(begin, images);
}

void KeyGenerator::images(std::uint64_t begin, std::span<uint128> images) const {
    std::array<std::uint64_t, batch_size> upper;
    std::array<std::uint64_t, batch_size> lower;
    while (!images.empty()) {
        std::size_t const size = std::min(images.size(), batch_size);
        fill(begin, std::span(upper).first(size));
        if (is_wide_ && low_word_ == LowWord::random) {
            low_words_.fill(begin, std::span(lower).first(size));
        } else {
            // No larger than needed: samples read one key at a time.
            std::ranges::fill(std::span(lower).first(size), 0);
        }
        for (std::size_t i = 0; i < size; ++i) {
            images[i] = widened(upper[i]) | lower[i];
        }
        images = images.subspan(size);
        begin += size;
    }
}

uint128 KeyGenerator::fractions_below(uint128 image) const {
    if (!is_wide_) {
        return recipe_.table.fractions_below(static_cast<std::uint64_t>(image));
    }
    auto const [upper, lower] = key_image(image);
    uint128 const below = recipe_.table.fractions_below(upper);
    if (lower == 0) {
        return below;
    }
    uint128 const width = recipe_.table.fractions_up_to(upper) - below;
    if (low_word_ == LowWord::zero) {
        return below + width;
    }
    return below + (width == two_to_64 ? uint128{lower} : (width * lower) >> 64);
}

void KeyGenerator::images(std::uint64_t begin, std::span<std::uint32_t> images) const {
    KEYSWAP_EXPECTS(key_bits(request_.key_type) == 32);
    fill(begin, images);
}

template <class Image>
void KeyGenerator::fill(std::uint64_t begin, std::span<Image> images) const {
    KEYSWAP_EXPECTS(images.size() <= key_count() && begin <= key_count() - images.size());
    if (images.empty()) {
        return;
    }
    std::size_t segment = segment_at(begin);
    while (!images.empty()) {
        std::uint64_t const left = segment_end(segment) - begin;
        auto const size =
            static_cast<std::size_t>(std::min<std::uint64_t>({left, images.size(), batch_size}));
        fill_part(recipe_.segments[segment], begin, images.first(size));
        begin += size;
        images = images.subspan(size);
        if (size == left) {
            ++segment;
        }
    }
}

template <class Image>
void KeyGenerator::fill_part(Segment const& segment,
                             std::uint64_t begin,
                             std::span<Image> images) const {
    std::size_t const size = images.size();
    QuantileTable const& table = recipe_.table;
    auto const at = [&](std::uint64_t u) { return static_cast<Image>(table.image_at(u)); };
    std::array<std::uint64_t, batch_size> words;
    switch (segment.draw) {
    case Draw::constant:
        std::ranges::fill(images, static_cast<Image>(segment.image));
        return;
    case Draw::independent:
        if (draw_width_ == DrawWidth::bits32) {
            std::array<std::uint32_t, batch_size> narrow;
            fractions_.fill(begin, std::span(narrow).first(size));
            QuantileCell const& cell = table.cells().front();
            std::uint64_t const count = cell.image_last - cell.image_first + 1;
            for (std::size_t i = 0; i < size; ++i) {
                images[i] = static_cast<Image>(cell.image_first + (narrow[i] * count >> 32));
            }
            return;
        }
        fractions_.fill(begin, std::span(words).first(size));
        for (std::size_t i = 0; i < size; ++i) {
            std::uint64_t const u =
                segment.u_width == 0 ? words[i]
                                     : segment.u_begin + multiply_high(words[i], segment.u_width);
            images[i] = at(u);
        }
        return;
    case Draw::ascending:
        for (std::size_t i = 0; i < size; ++i) {
            images[i] = at(fraction_of_rank(begin + i));
        }
        return;
    case Draw::descending:
        for (std::size_t i = 0; i < size; ++i) {
            images[i] = at(fraction_of_rank(key_count() - 1 - begin - i));
        }
        return;
    case Draw::mostly_ascending:
        fractions_.fill(begin, std::span(words).first(size));
        for (std::size_t i = 0; i < size; ++i) {
            bool const random = choices_.word64(begin + i) < recipe_.random_share;
            images[i] = at(random ? words[i] : fraction_of_rank(begin + i));
        }
        return;
    }
}

std::vector<uint128> generated_images(KeyGenerator const& generator,
                                      Direction direction,
                                      std::span<std::uint64_t const> positions) {
    uint128 const flip = direction == Direction::descending
                             ? largest_image_of_bits(key_bits(generator.request().key_type))
                             : 0;
    std::vector<uint128> images;
    images.reserve(positions.size());
    for (std::uint64_t const position : positions) {
        images.push_back(generator.image(position) ^ flip);
    }
    return images;
}

} // namespace keyswap::model
