#pragma once

#include "model/distributions/key_generator.hpp"
#include "model/keys/swept_source.hpp"

#include <utility>

namespace keyswap::model {

/// Generates the keys batch by batch and counts them.
class StreamedSource final : public SweptSource {
  public:
    explicit StreamedSource(KeyGenerator generator,
                            Direction direction = Direction::ascending,
                            OnKeysCounted on_keys_counted = nullptr)
        : SweptSource(generator.request().key_type, batch_size, std::move(on_keys_counted)),
          generator_(std::move(generator)), direction_(direction) {}

    [[nodiscard]] std::uint64_t key_count() const override { return generator_.key_count(); }
    [[nodiscard]] std::vector<uint128> images_at(std::span<std::uint64_t const> positions) override;

  private:
    static constexpr std::uint64_t batch_size = 2048; ///< fits in the L1 cache

    void read_images(std::uint64_t first, ImageSpan const& images) override;

    KeyGenerator generator_;
    Direction direction_;
};

} // namespace keyswap::model
