#pragma once

#include "model/key_files/stored_keys.hpp"
#include "model/keys/swept_source.hpp"

#include <mutex>
#include <optional>
#include <utility>

namespace keyswap::model {

/// Counts keys of a StoredKeys batch by batch.
class StoredSource final : public SweptSource {
  public:
    StoredSource(StoredKeys keys,
                 Direction direction,
                 ZeroOrder zero_order,
                 OnKeysCounted on_keys_counted)
        : SweptSource(keys.key_type(), batch_size, std::move(on_keys_counted)),
          keys_(std::move(keys)), direction_(direction), zero_order_(zero_order) {}

    [[nodiscard]] std::uint64_t key_count() const override { return keys_.key_count(); }
    [[nodiscard]] std::vector<uint128> images_at(std::span<std::uint64_t const> positions) override;

    /// The first read error; nullopt if all reads succeeded. Histograms are invalid if it is set.
    [[nodiscard]] std::optional<InputError> const& error() const { return error_; }

  private:
    static constexpr std::uint64_t batch_size = std::uint64_t{1}
                                                << 14; ///< 64 to 256 KiB: fits in an L2

    void read_images(std::uint64_t first, ImageSpan const& images) override;

    StoredKeys keys_;
    Direction direction_;
    ZeroOrder zero_order_;
    std::mutex error_mutex_;
    std::optional<InputError> error_;
};

} // namespace keyswap::model
