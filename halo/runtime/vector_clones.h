// Loops compiled several times, for the vectors that processors have; the best is taken when the
// program is loaded.
#ifndef HALO_RUNTIME_VECTOR_CLONES_H_
#define HALO_RUNTIME_VECTOR_CLONES_H_

// Sanitizers cannot run the resolvers that choose: those are called before the sanitizer is
// initialised.
#if defined(__x86_64__) && defined(__linux__) && !defined(HALO_SANITIZED)
#define HALO_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HALO_CLONES
#endif
// What such a function calls must become part of it.
#define HALO_INLINE inline __attribute__((always_inline))

#endif  // HALO_RUNTIME_VECTOR_CLONES_H_
