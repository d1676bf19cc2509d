#include "kernels/ranks/thread_transport.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/ranks/rank_step.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace keyswap::kernels {

namespace {

/// Shared state through which ranks exchange their lists of sends.
class Board {
  public:
    Board(std::uint32_t count, std::chrono::milliseconds patience)
        : posts_(count), patience_(patience) {}

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(posts_.size()); }

    /// Publishes this rank's sends; returns once every rank has published its own.
    void show(std::uint32_t rank, std::string_view step, std::span<RankMessage const> sends) {
        std::unique_lock lock{mutex_};
        Post& own = posts_[rank];
        own.step = step;
        own.sends.assign(sends.begin(), sends.end());
        own.shown += 1;
        changed_.notify_all();
        await(lock, step, own.shown, &Post::shown);
        for (std::uint32_t other = 0; other < count(); ++other) {
            if (posts_[other].step != own.step) {
                throw lost_rank(step, other, "had reached '" + posts_[other].step + "' instead");
            }
        }
    }

    /// The sends of `source`; valid between show() and taken().
    [[nodiscard]] std::vector<RankMessage> sends_of(std::uint32_t source) {
        std::lock_guard const lock{mutex_};
        return posts_[source].sends;
    }

    /// Acknowledges receipt; returns once every rank has acknowledged.
    void taken(std::uint32_t rank, std::string_view step) {
        std::unique_lock lock{mutex_};
        posts_[rank].taken += 1;
        changed_.notify_all();
        await(lock, step, posts_[rank].taken, &Post::taken);
    }

    void leave(std::uint32_t rank) {
        std::lock_guard const lock{mutex_};
        posts_[rank].gone = true;
        changed_.notify_all();
    }
    void expect_here(std::uint32_t rank, std::string_view step) {
        std::lock_guard const lock{mutex_};
        if (posts_[rank].gone) {
            throw lost_rank(step, rank, "has already finished");
        }
    }

  private:
    struct Post {
        std::string step;
        std::vector<RankMessage> sends;
        std::uint64_t shown = 0; ///< number of steps
        std::uint64_t taken = 0;
        bool gone = false;
    };

    /// Waits until every rank's counter has reached `steps`.
    void await(std::unique_lock<std::mutex>& lock,
               std::string_view step,
               std::uint64_t steps,
               std::uint64_t Post::*count_of) {
        auto const is_late = [=](Post const& post) { return post.*count_of < steps; };
        auto const is_lost = [=](Post const& post) { return post.gone && is_late(post); };
        bool const ended = changed_.wait_for(lock, patience_, [&] {
            return std::ranges::any_of(posts_, is_lost) || std::ranges::none_of(posts_, is_late);
        });
        auto const index_of = [this](auto const& post) {
            return static_cast<std::uint32_t>(post - posts_.begin());
        };
        if (auto const gone = std::ranges::find_if(posts_, is_lost); gone != posts_.end()) {
            throw lost_rank(step, index_of(gone), "ended before");
        }
        if (!ended) {
            throw lost_rank(
                step, index_of(std::ranges::find_if(posts_, is_late)), timeout_text(patience_));
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Post> posts_; ///< [rank]
    std::chrono::milliseconds patience_;
};

class ThreadTransport final : public RankTransport {
  public:
    ThreadTransport(std::shared_ptr<Board> board, std::uint32_t rank)
        : board_(std::move(board)), rank_(rank) {}
    ~ThreadTransport() override { board_->leave(rank_); }

    [[nodiscard]] std::uint32_t rank() const override { return rank_; }
    [[nodiscard]] std::uint32_t size() const override { return board_->count(); }
    [[nodiscard]] std::string name() const override { return "copies within this process"; }

    [[nodiscard]] bool has_distinct_gpus() const override { return false; }

    void all_gather(CUstream_st* stream,
                    std::string_view step,
                    void const* own,
                    void* all,
                    std::size_t bytes) override {
        std::vector<RankMessage> sends;
        std::vector<RankMessage> receives;
        for (std::uint32_t peer = 0; peer < size(); ++peer) {
            sends.push_back({peer, const_cast<void*>(own), bytes});
            receives.push_back({peer, static_cast<std::byte*>(all) + peer * bytes, bytes});
        }
        exchange(stream, step, sends, receives);
    }

    void exchange(CUstream_st* stream,
                  std::string_view step,
                  std::span<RankMessage const> sends,
                  std::span<RankMessage const> receives) override {
        board_->expect_here(rank_, step);
        wait_for(stream); // sent data is complete and receive buffers are no longer in use
        board_->show(rank_, step, sends);
        for (std::uint32_t source = 0; source < size(); ++source) {
            copy_from(source, stream, step, receives);
        }
        wait_for(stream);
        board_->taken(rank_, step);
    }

    void barrier(CUstream_st* stream, std::string_view step) override {
        exchange(stream, step, {}, {});
    }

    SharedBlock share_memory(void* data, std::size_t bytes) override {
        constexpr std::string_view step = "sharing memory";
        board_->expect_here(rank_, step);
        RankMessage const own{rank_, data, bytes};
        board_->show(rank_, step, {&own, 1});
        SharedBlock block{++blocks_, {}};
        for (std::uint32_t peer = 0; peer < size(); ++peer) {
            block.addresses.push_back(board_->sends_of(peer).front().data);
        }
        board_->taken(rank_, step);
        return block;
    }
    void unshare_memory(std::uint64_t /*id*/) noexcept override {}

    void wait(CUstream_st* stream, std::string_view step) override {
        board_->expect_here(rank_, step);
        wait_for(stream);
    }

    void wait_event(CUevent_st* event, std::string_view step) override {
        board_->expect_here(rank_, step);
        KEYSWAP_CUDA(cudaEventSynchronize(event));
    }

    void abandon() noexcept override { board_->leave(rank_); }

  private:
    void copy_from(std::uint32_t source,
                   CUstream_st* stream,
                   std::string_view step,
                   std::span<RankMessage const> receives) {
        std::vector<RankMessage> const sends = board_->sends_of(source);
        auto next = sends.begin();
        for (RankMessage const& receive : receives) {
            if (receive.peer != source) {
                continue;
            }
            next = std::find_if(
                next, sends.end(), [this](RankMessage const& send) { return send.peer == rank_; });
            if (next == sends.end() || next->bytes != receive.bytes) {
                throw lost_rank(
                    step,
                    source,
                    "sends " +
                        (next == sends.end() ? "nothing" : std::to_string(next->bytes) + " B") +
                        " where " + std::to_string(receive.bytes) + " B are expected");
            }
            copy_bytes(stream, receive.data, next->data, receive.bytes);
            ++next;
        }
    }

    std::shared_ptr<Board> board_;
    std::uint32_t rank_;
    std::uint64_t blocks_ = 0; ///< shared so far
};

} // namespace

std::vector<std::unique_ptr<RankTransport>> thread_transports(std::uint32_t count,
                                                              std::chrono::milliseconds patience) {
    KEYSWAP_EXPECTS(count > 0);
    auto const board = std::make_shared<Board>(count, patience);
    std::vector<std::unique_ptr<RankTransport>> ends;
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        ends.push_back(std::make_unique<ThreadTransport>(board, rank));
    }
    return ends;
}

} // namespace keyswap::kernels
