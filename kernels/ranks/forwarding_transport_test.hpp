#pragma once

/// \file A transport that forwards every call to another one, for tests that override some calls.

#include "kernels/ranks/rank_transport.hpp"

namespace keyswap::kernels::gpu_test {

class ForwardingTransport : public RankTransport {
  public:
    /// \param end must outlive the object
    explicit ForwardingTransport(RankTransport& end) : end_(end) {}

    [[nodiscard]] std::uint32_t rank() const override { return end_.rank(); }
    [[nodiscard]] std::uint32_t size() const override { return end_.size(); }
    [[nodiscard]] std::string name() const override { return end_.name(); }
    [[nodiscard]] bool has_distinct_gpus() const override { return end_.has_distinct_gpus(); }
    void all_gather(CUstream_st* stream,
                    std::string_view step,
                    void const* own,
                    void* all,
                    std::size_t bytes) override {
        end_.all_gather(stream, step, own, all, bytes);
    }
    void exchange(CUstream_st* stream,
                  std::string_view step,
                  std::span<RankMessage const> sends,
                  std::span<RankMessage const> receives) override {
        end_.exchange(stream, step, sends, receives);
    }
    void barrier(CUstream_st* stream, std::string_view step) override {
        end_.barrier(stream, step);
    }
    [[nodiscard]] SharedBlock share_memory(void* data, std::size_t bytes) override {
        return end_.share_memory(data, bytes);
    }
    void unshare_memory(std::uint64_t id) noexcept override { end_.unshare_memory(id); }
    void wait(CUstream_st* stream, std::string_view step) override { end_.wait(stream, step); }
    void wait_event(CUevent_st* event, std::string_view step) override {
        end_.wait_event(event, step);
    }
    void abandon() noexcept override { end_.abandon(); }

  private:
    RankTransport& end_;
};

} // namespace keyswap::kernels::gpu_test
