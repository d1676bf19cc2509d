#pragma once

#include "traces/records/records.hpp"

#include <utility>
#include <vector>

namespace keyswap {

/// Delays a header, and the partitioning records before the exchange, until the sort declares its
/// layout. If the sort never declares one, release() writes the header without a layout.
class PendingHeader final : public TraceSink {
  public:
    /// \pre the sink outlives this object
    PendingHeader(RunHeader header, TraceSink& sink) : header_(std::move(header)), sink_(sink) {
        if (header_.version == 1) {
            release(); // version 1 has no layout to wait for
        }
    }
    PendingHeader(PendingHeader const&) = delete;
    PendingHeader& operator=(PendingHeader const&) = delete;
    ~PendingHeader() override = default;

    void write(TraceRecord const& record) override {
        if (released_) {
            sink_.write(record);
        } else {
            held_.push_back(record);
        }
    }
    void declare(SwapLayout layout) override {
        if (header_.version > 1 && !released_) {
            header_.layout = layout;
            release();
        }
    }
    /// Writes the delayed records; call it when the sort has ended. Idempotent.
    void release() {
        if (released_) {
            return;
        }
        released_ = true;
        sink_.write(header_);
        for (TraceRecord const& record : held_) {
            sink_.write(record);
        }
        held_.clear();
    }

  private:
    RunHeader header_;
    TraceSink& sink_;
    std::vector<TraceRecord> held_;
    bool released_ = false;
};

} // namespace keyswap
