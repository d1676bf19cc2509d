#include "tools/external/arrays/record_classifier.hpp"

#include <cstring>
#include <memory>
#include <type_traits>

namespace keyswap::tools {

RecordClassifier make_record_classifier(model::RecordLayout const& layout,
                                        std::vector<model::CountedInterval> const& intervals) {
    return model::with_image_reader(layout, [&](auto const& reader) {
        using Slots = model::IntervalSlots<std::decay_t<decltype(reader(nullptr))>>;
        auto const slots = std::make_shared<Slots const>(intervals, layout.image_bits());
        // Uses compile-time constants for common record sizes.
        auto const for_size = [&](auto size) {
            return RecordClassifier{
                [=](std::span<std::byte const> records, std::span<std::uint64_t> counts) {
                    std::byte const* const end = records.data() + records.size();
                    for (auto const* record = records.data(); record != end; record += size) {
                        std::size_t const child = slots->slot_of(reader(record));
                        if (child == Slots::no_slot) {
                            return false;
                        }
                        ++counts[child];
                    }
                    return true;
                },
                [=](std::span<std::byte const> records,
                    std::span<std::uint64_t> places,
                    std::byte* area) {
                    std::byte const* const end = records.data() + records.size();
                    for (auto const* record = records.data(); record != end; record += size) {
                        std::uint64_t& place = places[slots->slot_of(reader(record))];
                        std::memcpy(area + place, record, size);
                        place += size;
                    }
                }};
        };
        switch (layout.record_bytes) {
        case 4:
            return for_size(std::integral_constant<std::size_t, 4>{});
        case 8:
            return for_size(std::integral_constant<std::size_t, 8>{});
        case 16:
            return for_size(std::integral_constant<std::size_t, 16>{});
        default:
            return for_size(std::size_t{layout.record_bytes});
        }
    });
}

} // namespace keyswap::tools
