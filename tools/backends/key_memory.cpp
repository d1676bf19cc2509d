#include "tools/backends/key_memory.hpp"

#include "model/keys/key_order.hpp"
#include "model/keys/materialized_source.hpp"
#include "model/keys/parallel.hpp"
#include "model/sorts/rmg/replay_digests.hpp"
#include "tools/backends/available_memory.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace keyswap::tools {

namespace {

std::unique_ptr<std::byte[]> uninitialized(std::uint64_t size_bytes) {
    return std::make_unique_for_overwrite<std::byte[]>(std::max<std::uint64_t>(1, size_bytes));
}

template <class T>
std::span<T> view(std::unique_ptr<std::byte[]> const& bytes, std::uint64_t count) {
    // operator new[] aligns sufficiently for every key and value type.
    return {reinterpret_cast<T*>(bytes.get()), bytes ? count : 0};
}

void advance(Progress* progress, std::uint64_t keys) {
    if (progress != nullptr) {
        progress->advance(keys);
    }
}

template <class T>
void number(std::span<T> values) {
    model::parallel_ranges(
        values.size(), std::uint64_t{1} << 20, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                values[i] = static_cast<T>(i);
            }
        });
}

/// Generates images of a distribution's keys, for the sort's direction.
template <class Image>
void generate_images(model::KeyGenerator const& generator,
                     Direction direction,
                     std::span<Image> out,
                     Progress* progress) {
    model::parallel_ranges(
        out.size(), std::uint64_t{1} << 18, [&](std::uint64_t begin, std::uint64_t end) {
            auto const part = out.subspan(begin, end - begin);
            generator.images(begin, part);
            if (direction == Direction::descending) {
                std::ranges::transform(
                    part, part.begin(), [](Image image) { return static_cast<Image>(~image); });
            }
            advance(progress, end - begin);
        });
}

Expected<void> too_many_values(model::SortConfig const& config) {
    if (config.value_type == ValueType::bits32 &&
        config.key_count > std::uint64_t{std::numeric_limits<std::uint32_t>::max()} + 1) {
        return input_error("--values 32",
                           std::to_string(config.key_count) +
                               " input indices do not fit into 32 bits",
                           "give --values 64");
    }
    return {};
}

} // namespace

KeyMemory::KeyMemory(model::SortConfig const& config)
    : config_(config), key_count_(config.key_count) {}

template <class Image>
std::span<Image> KeyMemory::images() const {
    return view<Image>(keys_, key_count_);
}

std::uint64_t KeyMemory::bytes_per_key(Use use) const {
    return (use == Use::replay ? 2 : 1) * config_.element_bytes();
}

Expected<void> KeyMemory::make_keys(SortRequest const& request, Use use, Progress* progress) {
    KEYSWAP_TRY(auto const generator, model::KeyGenerator::make(*request.keys));
    KEYSWAP_RETURN_IF_ERROR(expect_memory_for("--keys " + std::to_string(key_count_),
                                              key_count_,
                                              bytes_per_key(use),
                                              available_memory_bytes()));
    if (progress != nullptr) {
        progress->set_total(key_count_);
    }
    keys_ = uninitialized(key_count_ * key_size_bytes(config_.key_type));
    model::with_image_type(config_.key_type, [&]<class Image>(Image) {
        generate_images(generator, config_.direction, images<Image>(), progress);
    });
    unify_zeros();
    return {};
}

Expected<KeyMemory> KeyMemory::load(SortRequest& request,
                                    Use use,
                                    Progress* progress,
                                    std::unique_ptr<model::KeyFileReader> file) {
    KeyMemory memory(request.config);
    if (request.file && file == nullptr) {
        KEYSWAP_TRY(file, model::open_key_file(request.file_path, request.file_options));
    }
    KEYSWAP_RETURN_IF_ERROR(request.file ? memory.read_file(request, use, progress, *file)
                                         : memory.make_keys(request, use, progress));
    KEYSWAP_RETURN_IF_ERROR(too_many_values(memory.config_));
    memory.fill_values_with_indices();
    if (use == Use::replay) {
        memory.allocate_scratch();
    }
    return memory;
}

Expected<void> KeyMemory::read_file(SortRequest& request,
                                    Use use,
                                    Progress* progress,
                                    model::KeyFileReader& file) {
    config_.key_type = file.key_type();
    std::size_t const key_size = key_size_bytes(config_.key_type);
    // If the file does not store its key count, the buffer grows by half when full.
    auto const known = file.key_count();
    std::uint64_t capacity = known.value_or(std::uint64_t{1} << 16) + 1;
    auto const fits = [&](std::uint64_t keys, std::uint64_t bytes) {
        return expect_memory_for(*request.file, keys, bytes, available_memory_bytes());
    };
    KEYSWAP_RETURN_IF_ERROR(fits(capacity, bytes_per_key(use)));
    if (progress != nullptr) {
        progress->set_total(known.value_or(0));
    }
    keys_ = uninitialized(capacity * key_size);
    for (;;) {
        KEYSWAP_TRY(
            auto const read,
            file.read({keys_.get() + key_count_ * key_size, (capacity - key_count_) * key_size}));
        if (read == 0) {
            break;
        }
        key_count_ += read;
        advance(progress, read);
        if (key_count_ == capacity) {
            capacity += capacity / 2;
            KEYSWAP_RETURN_IF_ERROR(fits(capacity, key_size));
            auto grown = uninitialized(capacity * key_size);
            std::memcpy(grown.get(), keys_.get(), key_count_ * key_size);
            keys_ = std::move(grown);
        }
    }
    std::uint64_t const more = bytes_per_key(use) - key_size; // values and scratch space
    if (!known && more > 0) {
        KEYSWAP_RETURN_IF_ERROR(fits(key_count_, more));
    }
    config_.key_count = key_count_;
    request.config = config_;
    request.csv_header = file.header();
    request.other_csv_columns = file.other_columns();
    make_images();
    return {};
}

void KeyMemory::allocate_scratch() {
    key_scratch_ = uninitialized(key_count_ * key_size_bytes(config_.key_type));
    value_scratch_ = uninitialized(key_count_ * value_size_bytes(config_.value_type));
}

void KeyMemory::fill_values_with_indices() {
    values_ = uninitialized(key_count_ * value_size_bytes(config_.value_type));
    if (config_.value_type == ValueType::bits32) {
        number(view<std::uint32_t>(values_, key_count_));
    } else if (config_.value_type == ValueType::bits64) {
        number(view<std::uint64_t>(values_, key_count_));
    }
}

void KeyMemory::unify_zeros() {
    negative_zero_count_ = 0;
    if (config_.zero_order == ZeroOrder::total) {
        return;
    }
    model::with_key_type(config_.key_type, [&]<class Key>(Key) {
        for (model::ImageOf<Key>& image : images<model::ImageOf<Key>>()) {
            auto const unified =
                model::canonical_image<Key>(image, config_.zero_order, config_.direction);
            negative_zero_count_ += unified != image ? 1 : 0;
            image = unified;
        }
    });
}

void KeyMemory::separate_zeros() {
    if (negative_zero_count_ == 0) {
        return;
    }
    model::with_key_type(config_.key_type, [&]<class Key>(Key) {
        auto const sorted = images<model::ImageOf<Key>>();
        auto const zero = model::image_of(Key{}, config_.direction);
        auto const negative_zero = model::image_of(static_cast<Key>(-0.0), config_.direction);
        std::fill_n(std::ranges::lower_bound(sorted, zero), negative_zero_count_, negative_zero);
    });
}

std::unique_ptr<model::KeySource> KeyMemory::source() const {
    return model::with_image_type(config_.key_type,
                                  [&]<class Image>(Image) -> std::unique_ptr<model::KeySource> {
                                      return std::make_unique<model::MaterializedSource>(
                                          std::span<Image const>(images<Image>()));
                                  });
}

model::AnyReplayMemory KeyMemory::replay_memory() {
    KEYSWAP_EXPECTS(key_scratch_ != nullptr);
    auto const with_value = [&]<class Image, class Value>(Image, Value) -> model::AnyReplayMemory {
        std::uint64_t const value_count = std::is_same_v<Value, model::NoValue> ? 0 : key_count_;
        return model::ReplayMemory<Image, Value>{
            {images<Image>(), view<Value>(values_, value_count)},
            {view<Image>(key_scratch_, key_count_), view<Value>(value_scratch_, value_count)}};
    };
    return model::with_image_type(config_.key_type,
                                  [&]<class Image>(Image image) -> model::AnyReplayMemory {
                                      switch (config_.value_type) {
                                      case ValueType::none:
                                          return with_value(image, model::NoValue{});
                                      case ValueType::bits32:
                                          return with_value(image, std::uint32_t{});
                                      case ValueType::bits64:
                                          break;
                                      }
                                      return with_value(image, std::uint64_t{});
                                  });
}

MultisetDigest KeyMemory::digest() {
    return std::visit([](auto const& memory) { return model::digest_of_range(memory.arrays); },
                      replay_memory());
}

std::optional<std::uint64_t> KeyMemory::first_unsorted() const {
    return model::with_image_type(config_.key_type,
                                  [&]<class Image>(Image) -> std::optional<std::uint64_t> {
                                      auto const sorted = images<Image>();
                                      auto const wrong = std::ranges::is_sorted_until(sorted);
                                      if (wrong == sorted.end()) {
                                          return std::nullopt;
                                      }
                                      return static_cast<std::uint64_t>(wrong - sorted.begin());
                                  });
}

void KeyMemory::restore_keys() {
    separate_zeros();
    model::with_image_type(config_.key_type, [&]<class Image>(Image) {
        model::to_keys(config_.key_type, config_.direction, images<Image>());
    });
}

void KeyMemory::make_images() {
    model::with_image_type(config_.key_type, [&]<class Image>(Image) {
        model::to_images(config_.key_type, config_.direction, ZeroOrder::total, images<Image>());
    });
    unify_zeros();
}

std::span<std::byte> KeyMemory::key_bytes() {
    return {keys_.get(), key_count_ * key_size_bytes(config_.key_type)};
}

std::span<std::byte> KeyMemory::key_scratch_bytes() {
    return view<std::byte>(key_scratch_, key_count_ * key_size_bytes(config_.key_type));
}

std::span<std::byte> KeyMemory::value_scratch_bytes() {
    return view<std::byte>(value_scratch_, key_count_ * value_size_bytes(config_.value_type));
}

std::span<std::byte> KeyMemory::value_bytes() {
    return {values_.get(), key_count_ * value_size_bytes(config_.value_type)};
}

std::vector<VerdictRecord> check_sorted_keys(KeyMemory& memory, MultisetDigest const& before) {
    auto const unsorted = memory.first_unsorted();
    bool const same = memory.digest() == before;
    return {{"sorted",
             !unsorted.has_value(),
             unsorted
                 ? "the key at index " + std::to_string(*unsorted) + " is below its predecessor"
                 : ""},
            {"permutation", same, same ? "" : "keys were lost, doubled or changed"}};
}

} // namespace keyswap::tools
