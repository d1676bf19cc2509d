#include "tools/record/case_keys.hpp"

#include "model/distributions/key_zoo.hpp"
#include "model/keys/key_order.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace keyswap::conformance {

namespace {

constexpr std::string_view zoo_prefix = "zoo/";

/// Calls `use` with the zoo of a key type. \pre the type has at most 64 bits
template <class Use>
auto with_zoo(KeyType type, Use use) {
    KEYSWAP_EXPECTS(key_bits(type) <= 64);
    return model::with_key_type(type, [&]<class Key>(Key) {
        if constexpr (sizeof(Key) <= sizeof(std::uint64_t)) {
            return use(model::key_zoo<Key>());
        } else {
            return use(model::key_zoo<double>()); // unreachable
        }
    });
}

template <class Key>
std::vector<std::byte> bytes_of(std::vector<Key> const& keys) {
    auto const bytes = std::as_bytes(std::span(keys));
    return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> drawn_keys(model::KeyGenerator const& generator) {
    return model::with_key_type(generator.request().key_type, [&]<class Key>(Key) {
        std::vector<model::ImageOf<Key>> images(generator.key_count());
        generator.images(0, std::span(images));
        std::vector<std::byte> bytes(images.size() * sizeof(Key));
        for (std::size_t i = 0; i < images.size(); ++i) {
            Key const key = model::key_of<Key>(images[i]);
            std::memcpy(bytes.data() + i * sizeof(Key), &key, sizeof(Key));
        }
        return bytes;
    });
}

} // namespace

std::vector<ZooEntry> zoo_entries(KeyType type) {
    return with_zoo(type, [](auto const& zoo) {
        std::vector<ZooEntry> entries;
        entries.reserve(zoo.size());
        for (auto const& each : zoo) {
            entries.push_back({each.name, each.source, each.keys.size()});
        }
        return entries;
    });
}

std::string zoo_distribution(std::string_view entry) {
    return std::string(zoo_prefix).append(entry);
}

std::optional<std::string_view> zoo_entry_of(model::KeyRequest const& keys) {
    std::string_view const name = keys.distribution;
    return name.starts_with(zoo_prefix) ? std::optional(name.substr(zoo_prefix.size()))
                                        : std::nullopt;
}

Expected<std::vector<std::byte>> case_keys(model::KeyRequest const& keys) {
    if (auto const entry = zoo_entry_of(keys)) {
        return with_zoo(keys.key_type, [&](auto const& zoo) {
            auto const found =
                std::ranges::find_if(zoo, [&](auto const& each) { return each.name == *entry; });
            KEYSWAP_EXPECTS(found != zoo.end());
            return bytes_of(found->keys);
        });
    }
    KEYSWAP_TRY(auto const generator, model::KeyGenerator::make(keys));
    return drawn_keys(generator);
}

} // namespace keyswap::conformance
