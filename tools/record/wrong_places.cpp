#include "tools/record/wrong_places.hpp"

#include "model/check/shown_key.hpp"
#include "model/keys/key_arrays.hpp"
#include "model/keys/key_order.hpp"

#include <algorithm>

namespace keyswap::conformance {

namespace {

/// Position in thousandths of the output.
std::uint32_t scaled(std::uint64_t place, std::uint64_t place_count) {
    constexpr std::uint64_t scale = 1'000;
    return static_cast<std::uint32_t>(static_cast<double>(place) * double{scale} /
                                      static_cast<double>(place_count));
}

template <class Key>
class PlaceComparison {
  public:
    using Image = model::ImageOf<Key>;

    PlaceComparison(std::span<Key const> made, std::span<Key const> output, SortShape const& shape)
        : shape_(shape), output_(output), sorted_(made.begin(), made.end()) {
        std::ranges::sort(sorted_, {}, [&](Key key) { return order_of(key); });
    }

    [[nodiscard]] WrongPlaces found() const {
        WrongPlaces places;
        std::uint64_t const count = std::max(sorted_.size(), output_.size());
        for (std::uint64_t i = 0; i < count; ++i) {
            if (is_wrong(i)) {
                ++places.count;
                if (places.first.size() < wrong_places_shown_max) {
                    places.first.push_back({i, text_at(output_, i), text_at(sorted_, i)});
                }
            }
        }
        std::uint64_t const columns =
            places.count == 0 ? 0 : std::min<std::uint64_t>(place_columns_max, output_.size());
        for (std::uint64_t i = 0; i < columns; ++i) {
            std::uint64_t const begin = i * output_.size() / columns;
            std::uint64_t const end = (i + 1) * output_.size() / columns;
            places.columns.push_back(column_of(begin, end, count));
        }
        return places;
    }

  private:
    [[nodiscard]] Image order_of(Key key) const {
        return model::canonical_image<Key>(
            model::image_of(key, shape_.direction), shape_.zero_order, shape_.direction);
    }
    [[nodiscard]] bool is_wrong(std::uint64_t index) const {
        return index >= sorted_.size() || index >= output_.size() ||
               order_of(sorted_[index]) != order_of(output_[index]);
    }
    [[nodiscard]] static std::string text_at(std::span<Key const> keys, std::uint64_t index) {
        return index < keys.size()
                   ? model::shown_key(model::key_type_of<Key>, std::bit_cast<Image>(keys[index]))
                   : std::string();
    }
    /// Closest correct position of the key that the output has at `index`.
    [[nodiscard]] std::uint64_t place_of(std::uint64_t index) const {
        auto const order = [&](Key key) { return order_of(key); };
        auto const wanted = order_of(output_[index]);
        auto const begin = std::ranges::lower_bound(sorted_, wanted, {}, order);
        auto const end = std::ranges::upper_bound(sorted_, wanted, {}, order);
        auto const first = static_cast<std::uint64_t>(begin - sorted_.begin());
        auto const size = static_cast<std::uint64_t>(end - begin);
        return size == 0 ? first : std::clamp(index, first, first + size - 1);
    }
    [[nodiscard]] PlaceColumn
    column_of(std::uint64_t begin, std::uint64_t end, std::uint64_t count) const {
        PlaceColumn column{scaled(count, count), 0, false};
        for (std::uint64_t i = begin; i < end; ++i) {
            std::uint32_t const place = scaled(place_of(i), count);
            column.lowest = std::min(column.lowest, place);
            column.highest = std::max(column.highest, place);
            column.wrong = column.wrong || is_wrong(i);
        }
        return column;
    }

    SortShape const& shape_;
    std::span<Key const> output_;
    std::vector<Key> sorted_;
};

template <class Key>
std::span<Key const> whole_keys(std::span<std::byte const> bytes) {
    return {reinterpret_cast<Key const*>(bytes.data()), bytes.size() / sizeof(Key)};
}

} // namespace

WrongPlaces wrong_places(SortShape const& shape,
                         std::span<std::byte const> made,
                         std::span<std::byte const> output) {
    return model::with_key_type(shape.key_type, [&]<class Key>(Key) {
        return PlaceComparison<Key>(whole_keys<Key>(made), whole_keys<Key>(output), shape).found();
    });
}

} // namespace keyswap::conformance
