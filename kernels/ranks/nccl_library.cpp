#include "kernels/ranks/nccl_library.hpp"

#include <dlfcn.h>

namespace keyswap::kernels {

namespace {

SortError not_there(std::string problem) {
    return {SortErrorCode::rank_failure,
            std::move(problem) + ". Install NCCL 2.18 or later (Debian: libnccl2), or name its "
                                 "folder in LD_LIBRARY_PATH."};
}

/// Looks up functions by name and keeps the name of the first missing one.
class Finder {
  public:
    explicit Finder(void* library) : library_(library) {}

    template <class Function>
    void find(Function& function, char const* name) {
        find_if_there(function, name);
        if (function == nullptr && missing_ == nullptr) {
            missing_ = name;
        }
    }
    template <class Function>
    void find_if_there(Function& function, char const* name) const {
        function = reinterpret_cast<Function>(dlsym(library_, name));
    }
    [[nodiscard]] char const* missing() const { return missing_; }

  private:
    void* library_;
    char const* missing_ = nullptr;
};

SortExpected<NcclLibrary> load() {
    void* library = RTLD_DEFAULT;
    if (dlsym(RTLD_DEFAULT, "ncclCommInitRankConfig") == nullptr) {
        library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    }
    if (library == nullptr && dlsym(RTLD_DEFAULT, "ncclCommInitRankConfig") == nullptr) {
        char const* const reason = dlerror();
        return tl::unexpected(not_there(std::string{"NCCL cannot be loaded ("} +
                                        (reason == nullptr ? "" : reason) + ")"));
    }
    NcclLibrary nccl;
    Finder finder{library};
    finder.find(nccl.get_version, "ncclGetVersion");
    finder.find(nccl.get_error_string, "ncclGetErrorString");
    finder.find(nccl.get_unique_id, "ncclGetUniqueId");
    finder.find(nccl.comm_init_rank_config, "ncclCommInitRankConfig");
    finder.find(nccl.comm_split, "ncclCommSplit");
    finder.find(nccl.comm_user_rank, "ncclCommUserRank");
    finder.find(nccl.comm_count, "ncclCommCount");
    finder.find(nccl.comm_get_async_error, "ncclCommGetAsyncError");
    finder.find(nccl.comm_abort, "ncclCommAbort");
    finder.find(nccl.comm_destroy, "ncclCommDestroy");
    finder.find_if_there(nccl.comm_register, "ncclCommRegister");
    finder.find_if_there(nccl.comm_deregister, "ncclCommDeregister");
    finder.find(nccl.group_start, "ncclGroupStart");
    finder.find(nccl.group_end, "ncclGroupEnd");
    finder.find(nccl.all_gather, "ncclAllGather");
    finder.find(nccl.send, "ncclSend");
    finder.find(nccl.receive, "ncclRecv");
    if (finder.missing() != nullptr) {
        return tl::unexpected(
            not_there(std::string{"this machine's NCCL has no "} + finder.missing()));
    }
    return nccl;
}

} // namespace

SortExpected<NcclLibrary const*> nccl_library() {
    static SortExpected<NcclLibrary> const library = load();
    return library.map([](NcclLibrary const& found) { return &found; });
}

} // namespace keyswap::kernels
