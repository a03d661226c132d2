// Compiles a loop several times, for the vector extensions that processors have. The best version
// is selected when the program is loaded.
#ifndef HALO_RUNTIME_VECTOR_CLONES_H_
#define HALO_RUNTIME_VECTOR_CLONES_H_

// Sanitizers do not work with the ifunc resolvers that select the version: those are called before
// the sanitizer is initialized.
#if defined(__x86_64__) && defined(__linux__) && !defined(HALO_SANITIZED)
#define HALO_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HALO_CLONES
#endif
// Functions called from such a loop must be inlined into it.
#define HALO_INLINE inline __attribute__((always_inline))

#endif  // HALO_RUNTIME_VECTOR_CLONES_H_
