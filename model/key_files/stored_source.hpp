#pragma once

#include "model/key_files/stored_keys.hpp"
#include "model/keys/swept_source.hpp"

#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace keyswap::model {

/// Thrown by a StoredSource whose keys cannot be read, or change: a planner cannot rely on counts
/// that contradict each other.
struct UnreadableKeys final : std::exception {
    explicit UnreadableKeys(InputError why) : error(std::move(why)) {}
    [[nodiscard]] char const* what() const noexcept override { return error.problem.c_str(); }

    InputError error;
};

/// The planner's result, or why the keys of its StoredSource cannot be read.
template <class Planner>
[[nodiscard]] auto plan_stored_keys(Planner const& planner) -> decltype(planner()) {
    try {
        return planner();
    } catch (UnreadableKeys const& unreadable) {
        return tl::unexpected(unreadable.error);
    }
}

/// Counts keys of a StoredKeys batch by batch. Histograms and images_at() throw UnreadableKeys.
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

  private:
    static constexpr std::uint64_t batch_size = std::uint64_t{1}
                                                << 14; ///< 64 to 256 KiB: fits in an L2

    void read_images(std::uint64_t first, ImageSpan const& images) override;
    void end_sweep() override;

    StoredKeys keys_;
    Direction direction_;
    ZeroOrder zero_order_;
    std::mutex error_mutex_;
    std::optional<InputError> error_; ///< of the sweep's first read that failed
};

} // namespace keyswap::model
