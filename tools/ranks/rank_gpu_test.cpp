/// \file `keyswap sort --ranks --backend cuda` from shares to outputs, with simulated GPU
/// sessions: their inputs, the use of their results, and the end of all ranks if one
/// fails.

#include "model/keys/key_order.hpp"
#include "model/ranks/thread_communicator.hpp"
#include "tools/ranks/rank_run.hpp"
#include "tools/testing/program_run.hpp"
#include "traces/errors/try.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

constexpr std::uint32_t rank_count = 3;
constexpr auto patience = std::chrono::seconds(20);

/// Sorts u32 keys with 32-bit values through the ranks' communicator, one chunk per rank.
class StandInSession final : public cuda::RankSession {
  public:
    StandInSession(model::Communicator& ranks, std::uint64_t key_count)
        : ranks_(ranks), chunks_(key_count, ranks.size()) {}

    [[nodiscard]] std::uint64_t capacity() const override { return chunks_.size() + 3; }
    [[nodiscard]] std::string transport() const override { return "stand-ins"; }

    [[nodiscard]] Expected<kernels::SortReport>
    sort(std::span<std::byte> keys,
         std::span<std::byte> values,
         std::uint64_t key_count,
         std::function<void(RunHeader&)> const& complete,
         TraceSink* trace) override {
        EXPECT_EQ(keys.size(), capacity() * sizeof(std::uint32_t));
        EXPECT_EQ(values.size(), keys.size());
        EXPECT_EQ(key_count, chunks_.key_count());
        RunHeader header;
        header.algorithm = "rmg";
        complete(header);
        EXPECT_EQ(header.input.content->count, key_count);
        if (trace != nullptr) {
            trace->write(header);
        }
        struct Element {
            std::uint32_t key;
            std::uint32_t value;
        };
        std::vector<Element> own(capacity());
        for (std::size_t i = 0; i < own.size(); ++i) {
            std::memcpy(&own[i].key, keys.data() + 4 * i, 4);
            std::memcpy(&own[i].value, values.data() + 4 * i, 4);
        }
        auto const all = model::all_gather(ranks_, "stand-in", std::span<Element const>(own));
        std::vector<Element> sorted;
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
            auto const begin = all.begin() + static_cast<std::ptrdiff_t>(rank * own.size());
            auto const count = static_cast<std::ptrdiff_t>(chunks_.of(GpuId{rank}).size());
            sorted.insert(sorted.end(), begin, begin + count);
        }
        std::ranges::stable_sort(sorted, {}, &Element::key);
        model::IndexRange const range = chunks_.of(GpuId{ranks_.rank()});
        for (std::uint64_t i = range.begin; i < range.end; ++i) {
            std::memcpy(keys.data() + 4 * (i - range.begin), &sorted[i].key, 4);
            std::memcpy(values.data() + 4 * (i - range.begin), &sorted[i].value, 4);
        }
        kernels::SortReport report;
        report.passes = 1;
        report.chunks = {{range.begin, range.size(), false}};
        return report;
    }

  private:
    model::Communicator& ranks_;
    model::Chunks chunks_;
};

/// On rank 1, loses a key or returns an error.
class FaultySession final : public cuda::RankSession {
  public:
    enum class Fault { key_lost, refuses };
    FaultySession(model::Communicator& ranks, std::uint64_t key_count, Fault fault)
        : ranks_(ranks), session_(ranks, key_count), fault_(fault) {}

    [[nodiscard]] std::uint64_t capacity() const override { return session_.capacity(); }
    [[nodiscard]] std::string transport() const override { return session_.transport(); }
    [[nodiscard]] Expected<kernels::SortReport>
    sort(std::span<std::byte> keys,
         std::span<std::byte> values,
         std::uint64_t key_count,
         std::function<void(RunHeader&)> const& complete,
         TraceSink* trace) override {
        auto report = session_.sort(keys, values, key_count, complete, trace);
        if (ranks_.rank() != 1) {
            return report;
        }
        if (fault_ == Fault::refuses) {
            return input_error("GPUs", "are on fire", "put them out");
        }
        keys[0] ^= std::byte{1};
        return report;
    }

  private:
    model::Communicator& ranks_;
    StandInSession session_;
    Fault fault_;
};

template <class Session, class... More>
RankOpener opener(More... more) {
    return [=](model::Communicator& ranks,
               SortRequest const& request) -> Expected<std::unique_ptr<cuda::RankSession>> {
        return std::make_unique<Session>(ranks, request.config.key_count, more...);
    };
}

class RankGpu : public FolderTest {
  protected:
    /// Sorts uniform keys by ranks with sessions from `open`. \return [rank] results
    std::vector<Expected<ExitCode>> sort(RankOpener const& open) {
        SortArguments options;
        options.distribution = "uniform";
        options.key_count = 1'000;
        options.type = "u32";
        options.values = "32";
        auto const request = resolve(options);
        SortFiles const files{
            path("many.raw"), std::nullopt, path("many.values.raw"), path("run-{rank}.trace")};
        std::vector<Expected<ExitCode>> results(rank_count, ExitCode::fine);
        model::ThreadRanks ranks(rank_count, patience);
        ranks.run([&](model::Communicator& end) {
            auto const report = [&](SortRequest const& /*request*/, RankAccount const& done) {
                account = done;
            };
            results[end.rank()] = run_rank(end, rank_work(*request, files, report, open)).result;
        });
        return results;
    }
    RankAccount account;
};

TEST_F(RankGpu, WritesWhatOneProcessDoes) {
    for (auto const& result : sort(opener<StandInSession>())) {
        ASSERT_TRUE(result.has_value()) << result.error().message();
        EXPECT_EQ(*result, ExitCode::fine);
    }
    EXPECT_EQ(account.transport, "stand-ins");
    EXPECT_EQ(account.owned, (std::vector<std::uint64_t>{334, 334, 332}));
    auto const alone = run_line("sort --distribution uniform --keys 1000 --type u32 --values 32 "
                                "--output @one.raw --output-values @one.values.raw");
    ASSERT_EQ(alone.code, ExitCode::fine) << alone.errors;
    EXPECT_EQ(text("many.raw"), text("one.raw"));
    EXPECT_EQ(text("many.values.raw"), text("one.values.raw"));
}

TEST_F(RankGpu, FindsAKeyThatAGpuChangedAndWritesNothing) {
    for (auto const& result : sort(opener<FaultySession>(FaultySession::Fault::key_lost))) {
        ASSERT_TRUE(result.has_value()) << result.error().message();
        EXPECT_EQ(*result, ExitCode::violation);
    }
    EXPECT_FALSE(account.holds());
    for (std::string const& file : files()) {
        EXPECT_TRUE(file.starts_with("run-")) << file;
    }
}

TEST_F(RankGpu, AllRanksGetTheErrorOfOne) {
    for (auto const& result : sort(opener<FaultySession>(FaultySession::Fault::refuses))) {
        ASSERT_FALSE(result.has_value());
        EXPECT_NE(result.error().message().find("are on fire"), std::string::npos)
            << result.error().message();
    }
}

TEST_F(RankGpu, ARankWithoutAGpuEndsAll) {
    RankOpener const open =
        [](model::Communicator& ranks,
           SortRequest const& request) -> Expected<std::unique_ptr<cuda::RankSession>> {
        if (ranks.rank() == 2) {
            return input_error("GPUs", "there is none", "add one");
        }
        return std::make_unique<StandInSession>(ranks, request.config.key_count);
    };
    for (auto const& result : sort(open)) {
        ASSERT_FALSE(result.has_value());
        EXPECT_NE(result.error().message().find("there is none"), std::string::npos)
            << result.error().message();
    }
    EXPECT_TRUE(files().empty());
}

} // namespace
} // namespace keyswap::tools
